"""Asks the part of the CDK that answers the Connector Builder, and prints as JSON what the Builder would show.

Called with one JSON object: manifest, config, folder and stream.
"""

import json
import pathlib
import subprocess
import sys

import yaml

given = json.loads(sys.argv[1])
folder = pathlib.Path(given["folder"])
manifest = yaml.safe_load(pathlib.Path(given["manifest"]).read_text(encoding="utf-8"))


def ask(command):
    """The data of the one record that the Builder's process answers a command with."""
    stream = {"name": given["stream"], "json_schema": {}, "supported_sync_modes": ["full_refresh", "incremental"]}
    files = {
        "config": {
            **given["config"],
            "__injected_declarative_manifest": manifest,
            "__command": command,
            "__test_read_config": {"max_slices": 5, "max_pages_per_slice": 5, "max_records": 100},
        },
        "catalog": {"streams": [{"stream": stream, "sync_mode": "incremental", "destination_sync_mode": "append"}]},
        "state": [],
    }
    words = []
    for name, content in files.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        words += [f"--{name}", str(path)]
    module = [sys.executable, "-m", "airbyte_cdk.connector_builder.main", "read"]
    lines = subprocess.run(module + words, capture_output=True, text=True, check=True).stdout.splitlines()
    messages = [json.loads(line) for line in lines if line.startswith("{")]
    return next(message["record"]["data"] for message in messages if message["type"] == "RECORD")


resolved = ask("full_resolve_manifest")["manifest"]
read = ask("test_read")
json.dump(
    {
        "streams": [stream["name"] for stream in resolved["streams"]],
        "records": sum(len(page["records"]) for part in read["slices"] for page in part["pages"]),
        "warnings": [log["message"] for log in read["logs"] if log["level"] in ("WARN", "ERROR")],
    },
    sys.stdout,
)
