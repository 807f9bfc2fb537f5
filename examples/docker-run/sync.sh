#!/bin/sh
# One sync with plain Docker:  ./sync.sh FOLDER
#
# FOLDER holds config.json and catalog.json; ../sync.sh says what is added to it. The source runs as the
# user who calls this, sees FOLDER only to read it, and may write nowhere.
set -eu
folder=$(cd "${1:?usage: sync.sh FOLDER}" && pwd)
exec "$(dirname "$0")/../sync.sh" "$folder" \
  docker run --rm --user "$(id -u):$(id -g)" --read-only --cap-drop ALL \
  --volume "$folder:$folder:ro" \
  "${SURVEY_EXPORT_IMAGE:-ghcr.io/survey-export/source-survey-export:0.1.0}"
