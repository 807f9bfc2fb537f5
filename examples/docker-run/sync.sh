#!/bin/sh
# One sync with plain Docker:  ./sync.sh FOLDER
#
# FOLDER holds config.json and catalog.json; ../sync.sh says what is added to it. The source runs as the
# user who calls this, sees FOLDER only to read it, and may write nowhere.
set -eu
folder=$(CDPATH='' cd -- "${1:?usage: sync.sh FOLDER}" && pwd)
if ! command -v docker >/dev/null; then
  echo "sync.sh: docker was not found. Install Docker, or add its folder to PATH." >&2
  exit 2
fi

# One name for each folder. The next run removes the container, even one that a kill of the docker command left
# running. With --rm in its place, some engines report exit code 0 for a container that failed.
name=survey-export-$(printf %s "$folder" | cksum | cut -d ' ' -f 1)
# shellcheck disable=SC2016 # the inner shell expands it
exec "$(dirname -- "$0")/../sync.sh" "$folder" \
  sh -c 'docker rm --force "$0" >/dev/null 2>&1; exec docker run --name "$0" "$@"' "$name" \
  --user "$(id -u):$(id -g)" --read-only --cap-drop ALL --env SURVEY_EXPORT_STDERR=1 \
  --volume "$folder:$folder:ro" \
  "${SURVEY_EXPORT_IMAGE:-ghcr.io/survey-export/source-survey-export:0.1.0}"
