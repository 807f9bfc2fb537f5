#!/bin/sh
# One sync that keeps its state, whichever way the source is started:
#
#   sync.sh FOLDER COMMAND...
#
# runs `COMMAND... read` with FOLDER/config.json and FOLDER/catalog.json, and adds to FOLDER
#
#   messages/<time>.jsonl   what each run wrote: records, states and logs, one JSON object a line
#   state.jsonl             the last state of each stream, which the next run starts from
#
# It may be killed at any moment, with SIGKILL too: the next run first takes over what the killed one wrote
# and goes on from its last state. Two at once in one folder are refused.
#
# SURVEY_EXPORT_CONFIG and SURVEY_EXPORT_CATALOG name other files for the two that are read.
set -eu
export LC_ALL=C

if [ $# -lt 2 ]; then
  echo "usage: sync.sh FOLDER COMMAND..." >&2
  exit 2
fi
folder=$(cd "$1" && pwd)
shift
messages=$folder/messages
state=$folder/state.jsonl
mkdir -p "$messages"

# Held until this script ends, however it ends. The source does not inherit it (9>&- below).
exec 9>"$folder/.lock"
if ! flock -n 9; then
  echo "sync.sh: another sync is running in $folder; try again when it has ended" >&2
  exit 75
fi

# Keeps the whole lines of a run and the last state of each stream. Safe to do twice, so a kill in here is
# no different from one anywhere else.
take_over() {
  if [ -n "$(tail -c 1 "$1")" ]; then # half a line, cut short by a kill
    sed '$d' "$1" >"$1.whole"
    mv "$1.whole" "$1"
  fi
  touch "$state"
  cat "$state" "$1" | grep '^{"type":"STATE"' | awk '
    { match($0, /"stream_descriptor":[{]"name":"[^"]*"/); last[substr($0, RSTART, RLENGTH)] = $0 }
    END { for (stream in last) print last[stream] }
  ' >"$state.new"
  mv "$state.new" "$state"
  mv "$1" "${1%.part}"
}

for left in "$messages"/*.part; do
  if [ -e "$left" ]; then take_over "$left"; fi
done

set -- "$@" read --config "${SURVEY_EXPORT_CONFIG:-$folder/config.json}" \
  --catalog "${SURVEY_EXPORT_CATALOG:-$folder/catalog.json}"
if [ -s "$state" ]; then set -- "$@" --state "$state"; fi

part=$messages/$(date -u +%Y%m%dT%H%M%SZ)-$$.jsonl.part
"$@" >"$part" 9>&- &
source=$!
trap 'kill -TERM "$source" 2>/dev/null || true' TERM INT
status=0
wait "$source" || status=$?
while kill -0 "$source" 2>/dev/null; do # a signal ends the first wait early
  status=0
  wait "$source" || status=$?
done
take_over "$part"
exit "$status"
