#!/bin/sh
# One sync that keeps its state, however the source is started:
#
#   sync.sh FOLDER COMMAND...
#
# runs `COMMAND... read` with FOLDER/config.json and FOLDER/catalog.json, and adds to FOLDER
#
#   messages/<time>.jsonl   what each run wrote: records, states and logs, one JSON object a line
#   state.jsonl             the last state of each stream, which the next run starts from. Delete it, and the next run
#                           reads everything again
#
# Stderr shows the source's progress, warnings and errors while it runs, and a line about the whole run at the end.
#
# It may be killed at any moment, with SIGKILL too. The next run stops a source that was left running, keeps what
# was written, and goes on from the last state. Two syncs at once in one folder are refused.
#
# Exit code: the source's (0 done, 1 failed), or 2: this script could not start, or 75: another sync is running.
#
# SURVEY_EXPORT_CONFIG and SURVEY_EXPORT_CATALOG name other files for the two that are read.
# SURVEY_EXPORT_KEEP_RUNS=N keeps the messages of the last N runs that brought records, and removes older ones.
# Without it all messages are kept. The state is never removed.
#
# Needs a POSIX shell, and `flock` or `perl` (macOS has perl).
set -eu
export LC_ALL=C

say() { echo "sync.sh: $*" >&2 || true; } # a closed terminal takes no more words
refuse() {
  say "$*"
  exit 2
}

[ $# -ge 2 ] || refuse "usage: sync.sh FOLDER COMMAND..."
[ -d "$1" ] || refuse "the folder $1 does not exist. Create it, with config.json and catalog.json in it."
folder=$(CDPATH='' cd -- "$1" && pwd)
shift
case ${1##*/} in
npm | npx)
  # They do not pass a signal on to the source, and close the lock that it would hold.
  refuse "$1 cannot be stopped safely. Run: npm install --global source-survey-export, then: sync.sh FOLDER source-survey-export"
  ;;
esac
for word in "$1" "${2-}"; do
  case $word in
  *dist/source-survey-export.js) [ -e "$word" ] || refuse "$word does not exist. In a checkout, run: npm ci" ;;
  esac
done
command -v "$1" >/dev/null || refuse "the program $1 was not found. Install it, or add its folder to PATH."
runs_to_keep=${SURVEY_EXPORT_KEEP_RUNS:-all}
case $runs_to_keep in
all) ;;
0* | *[!0-9]*) refuse "SURVEY_EXPORT_KEEP_RUNS is \"$runs_to_keep\". It must be a whole number of at least 1, or unset." ;;
esac

messages=$folder/messages
state=$folder/state.jsonl
lock=$folder/.lock
if ! { mkdir -p "$messages" && touch "$lock" "$messages/.writable" && rm "$messages/.writable"; } 2>/dev/null; then
  refuse "cannot write to $folder as user $(id -u). The folder must be writable and belong to this user."
fi

# The lock is held through file descriptor 9. The source inherits it, so the lock lasts as long as the source does.
exec 9>>"$lock"
take_lock() {
  locked=0
  if command -v flock >/dev/null; then
    flock -n 9 || locked=$?
  elif command -v perl >/dev/null; then
    perl -MErrno -e 'open(LOCK, ">>&=", 9) && flock(LOCK, 2 | 4) or exit($!{EWOULDBLOCK} ? 1 : 2)' || locked=$?
  else
    refuse "needs flock or perl to make sure that only one sync runs at a time. Install one of them."
  fi
  [ "$locked" -le 1 ] || refuse "the file system of $folder has no locks. Use a folder on another file system."
  return "$locked"
}
is_alive() { [ -d "/proc/$1" ] || kill -0 "$1" 2>/dev/null || ps -p "$1" >/dev/null 2>&1; }

# The lock file names the host, the script and the source. A source without its script was left by a kill.
stop_source_left_running() {
  read -r left_host left_script left_source <"$lock" || return 0
  if [ "$left_host" != "$(uname -n)" ] || is_alive "$left_script"; then return 0; fi
  say "stopping the source that a killed sync left running (process $left_source)"
  for signal in TERM KILL; do
    kill -"$signal" "$left_source" 2>/dev/null || true
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
      if take_lock; then return 0; fi
      sleep 1
    done
  done
}
if ! take_lock; then
  stop_source_left_running
  if ! take_lock; then
    say "another sync is running in $folder. Try again when it has ended."
    exit 75
  fi
fi
: >"$lock"

# A line that is no state of the source would get lost with the first run, and its stream would be read again.
refuse_other_states() {
  wrong=$(awk '
    /^[ \t\r]*$/ || /^[{]"type":"(RECORD|LOG|TRACE)"/ { next }
    substr($0, 1, 500) ~ /^[{]"type":"STATE".*"stream_descriptor":[{][^}]*"name":"/ { states++; next }
    { wrong = "line " NR " of"; exit }
    END { if (wrong != "") print wrong; else if (!states) print "no line of" }
  ' "$state")
  case $wrong in
  "") ;;
  no*) refuse "$wrong $state is a state. Delete the file to read everything again." ;;
  *) refuse "$wrong $state is not a state as the source writes it, one JSON object a line that begins with {\"type\":\"STATE\". docs/operators.md says under \"State\" how to convert a state of Airbyte. To read everything again, delete the file." ;;
  esac
}

# Keeps the whole lines of a run and the last state of each stream. It is safe to do twice, after a kill in here.
# Not every sed and awk tells by its exit code that the disk is full. So a size is compared, and cat writes last.
take_over() {
  if [ -s "$1" ] && [ "$(tail -c 1 "$1" | wc -l)" -eq 0 ]; then # half a line, cut short by a kill
    sed '$d' "$1" >"$1.whole" &&
      [ $(($(wc -c <"$1.whole") + $(tail -n 1 "$1" | wc -c))) -eq "$(wc -c <"$1")" ] &&
      mv "$1.whole" "$1" || return 1
  fi
  if [ -e "$state" ]; then # otherwise somebody deleted it, and the states of this run would bring it back
    # The empty line keeps two lines apart where an editor left state.jsonl without its last line end.
    { cat "$state" && echo && cat "$1"; } | grep '^[{]"type":"STATE"' | awk '
      {
        match($0, /"stream_descriptor":[{][^}]*/)
        descriptor = substr($0, RSTART, RLENGTH)
        match(descriptor, /"name":"[^"]*"/)
        last[substr(descriptor, RSTART, RLENGTH)] = $0
      }
      END { for (stream in last) print last[stream] }
    ' | cat >"$state.new" &&
      { [ -s "$state.new" ] || [ ! -s "$state" ]; } &&
      mv "$state.new" "$state" || return 1
  fi
  mv "$1" "${1%.part}"
}
keep() {
  if take_over "$1"; then return 0; fi
  say "cannot store the state in $folder. Make room there, or mend its rights. Nothing is lost: the next run does it first."
  exit 1
}

# Runs that brought no records do not count, so an outage does not push out records that nobody has loaded yet.
remove_old_messages() {
  if [ "$runs_to_keep" = all ]; then return 0; fi
  kept=0
  printf '%s\n' "$messages"/*.jsonl | sort -r | while IFS= read -r old; do
    if [ "$kept" -ge "$runs_to_keep" ]; then
      rm -f "$old"
    elif grep -q '^[{]"type":"RECORD"' "$old"; then
      kept=$((kept + 1))
    fi
  done
}

# "12 survey_responses, 3 respondent_attributes" of the messages in a file.
count_records() {
  awk '
    /^[{]"type":"RECORD"/ { split(substr($0, 1, 200), word, "\""); count[word[10]]++ }
    END { for (stream in count) printf "%s%d %s", (n++ ? ", " : ""), count[stream], stream; if (!n) printf "no records" }
  ' "$1"
}

if [ -s "$state" ]; then refuse_other_states; fi
for left in "$messages"/*.part; do
  if [ -e "$left" ]; then
    say "keeping what an interrupted sync wrote: $(count_records "$left")"
    [ -e "$state" ] || say "there is no state.jsonl, so everything is read again"
    keep "$left"
  fi
done
# From here on, a state.jsonl that is missing was deleted.
[ -e "$state" ] || touch "$state" || refuse "cannot write $state as user $(id -u). The folder must belong to this user."

set -- "$@" read --config "${SURVEY_EXPORT_CONFIG:-$folder/config.json}" \
  --catalog "${SURVEY_EXPORT_CATALOG:-$folder/catalog.json}"
if [ -s "$state" ]; then set -- "$@" --state "$state"; fi

# Without this the source writes to a terminal only, because Airbyte shows each line on stderr as an error.
export SURVEY_EXPORT_STDERR="${SURVEY_EXPORT_STDERR:-1}"
# Node.js forgets when it starts that nohup had SIGHUP ignored.
if { sh -c 'kill -HUP $$'; } 2>/dev/null; then export SURVEY_EXPORT_IGNORE_SIGHUP=1; fi

began=$(date +%s)
part=$messages/$(date -u +%Y%m%dT%H%M%SZ)-$$.jsonl.part
while [ -e "${part%.part}" ]; do # in a container each run has the same process number
  sleep 1
  part=$messages/$(date -u +%Y%m%dT%H%M%SZ)-$$.jsonl.part
done
: >"$part"

source=
stopping=
stop_source() {
  stopping=yes
  if [ -n "$source" ]; then kill -TERM "$source" 2>/dev/null || true; fi
}
trap stop_source TERM INT HUP
"$@" >"$part" &
source=$!
if [ -n "$stopping" ]; then stop_source; fi # the signal came before the source
echo "$(uname -n) $$ $source" >"$lock" || true # for the next run only

status=0
wait "$source" || status=$?
while kill -0 "$source" 2>/dev/null; do # a signal ends the first wait early
  status=0
  wait "$source" || status=$?
done

counted=$(count_records "$part")
keep "$part"
remove_old_messages

case $status in
0) outcome="done" ;;
2) outcome="failed (exit code 2: wrong arguments)" ;;
125 | 126 | 127) outcome="failed (exit code $status: the program could not be started)" ;;
129 | 130 | 143) outcome="stopped by a signal (exit code $status)" ;;
137) outcome="killed (exit code 137: often too little memory)" ;;
*) outcome="failed (exit code $status)" ;;
esac
say "$outcome after $(($(date +%s) - began)) s: $counted in ${part%.part}"
if [ ! -e "$state" ]; then
  say "state.jsonl was deleted during this run: the next run reads everything again"
elif [ "$status" -ne 0 ]; then
  if [ -s "$state" ]; then say "the next run goes on from the last state"; else say "the next run reads from the start"; fi
fi
exit "$status"
