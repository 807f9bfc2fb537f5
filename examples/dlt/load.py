"""Loads every stream with dlt, merged by primary key. dlt keeps the state of the sync beside the tables.

    pip install "dlt[duckdb]"
    python load.py config.json npx source-survey-export

The words after the configuration are the command that starts the source: `docker run --rm -v …` will do as well.
For another warehouse change DESTINATION: dlt's documentation has a page on each.

What a failed sync brought is loaded all the same, and the next one goes on from there. The exit code is then 1.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import dlt

DESTINATION = "duckdb"
PIPELINE = "survey_export"
DATASET = "surveys"
TYPES = {
    "string": "text",
    "integer": "bigint",
    "number": "double",
    "boolean": "bool",
    "array": "json",
    "object": "json",
}


class Source:
    """Runs the source's commands, and notes how the last one ended."""

    def __init__(self, config, command):
        self.config = str(Path(config).resolve())
        self.command = command
        self.failed = False

    def messages(self, *words):
        """The messages of one command. Errors of the source go to stderr, for the scheduler's log."""
        call = [*self.command, *words, "--config", self.config]
        with subprocess.Popen(call, stdout=subprocess.PIPE) as process:
            for line in process.stdout:
                message = json.loads(line)
                if message["type"] == "TRACE" and message["trace"]["type"] == "ERROR":
                    print("ERROR", message["trace"]["error"]["message"], file=sys.stderr)
                yield message
        self.failed = process.returncode != 0

    def streams(self):
        catalogs = [message["catalog"] for message in self.messages("discover") if message["type"] == "CATALOG"]
        if not catalogs:
            sys.exit("The source did not list its streams.")
        return catalogs[0]["streams"]


def columns_of(stream):
    """Each column with its type. From records alone, dlt makes no column for a field that is always null."""
    columns = {}
    for name, field in stream["json_schema"]["properties"].items():
        types = [field["type"]] if isinstance(field["type"], str) else field["type"]
        [kind] = [TYPES[one] for one in types if one != "null"]
        columns[name] = {"data_type": "timestamp" if field.get("format") == "date-time" else kind}
    return columns


@dlt.source(name=PIPELINE)
def survey_export(source):
    streams = source.streams()
    hints = {
        stream["name"]: dlt.mark.make_hints(
            table_name=stream["name"],
            primary_key=[key for [key] in stream["source_defined_primary_key"]],
            columns=columns_of(stream),
            write_disposition="merge",
        )
        for stream in streams
    }

    # All streams come from one process, since they share one pass over the surveys.
    @dlt.resource(name="records", max_table_nesting=0)  # lists and objects stay in one column, as JSON
    def records():
        # dlt stores this dictionary with the records that it covers, or neither.
        state = dlt.current.resource_state()
        begun = set()
        with tempfile.TemporaryDirectory() as folder:
            catalog, states = Path(folder, "catalog.json"), Path(folder, "state.json")
            configured = [
                {"stream": stream, "sync_mode": "incremental", "destination_sync_mode": "append_dedup"}
                for stream in streams
            ]
            catalog.write_text(json.dumps({"streams": configured}), encoding="utf-8")
            states.write_text(json.dumps(list(state.values())), encoding="utf-8")
            for message in source.messages("read", "--catalog", str(catalog), "--state", str(states)):
                if message["type"] == "RECORD":
                    name, data = message["record"]["stream"], message["record"]["data"]
                    if name in begun:
                        yield dlt.mark.with_table_name(data, name)
                    else:
                        begun.add(name)
                        yield dlt.mark.with_hints(data, hints[name], create_table_variant=True)
                elif message["type"] == "STATE":
                    descriptor = message["state"]["stream"]["stream_descriptor"]
                    state[descriptor["name"]] = message["state"]

    return records


def main():
    _, config, *command = sys.argv
    source = Source(config, command)
    pipeline = dlt.pipeline(PIPELINE, destination=DESTINATION, dataset_name=DATASET)
    print(pipeline.run(survey_export(source)))
    if source.failed:
        sys.exit("The sync failed. What it brought is loaded, and the next one goes on from there.")


if __name__ == "__main__":
    main()
