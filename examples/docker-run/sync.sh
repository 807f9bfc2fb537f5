#!/bin/sh
# One sync with plain Docker:  ./sync.sh FOLDER
#
# FOLDER holds config.json, and gets surveys.sqlite. The source runs as the user who calls this, and may write nowhere
# else. To see what arrived, open surveys.sqlite in any program that reads SQLite. To back it up, copy that file
# while no sync runs.
set -eu
folder=$(CDPATH='' cd -- "${1:?usage: sync.sh FOLDER}" && pwd)
exec docker run --rm --user "$(id -u):$(id -g)" --read-only --cap-drop ALL --stop-timeout 60 \
  --env SURVEY_EXPORT_API_KEY --volume "$folder:$folder" \
  "${SURVEY_EXPORT_IMAGE:-ghcr.io/survey-export/source-survey-export:0.1.0}" sync "$folder/surveys.sqlite"
