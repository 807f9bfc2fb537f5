"""Loads the records of the source's output into DuckDB as the plainest loader does: without a column of its own,
and with arrays, objects and timestamps as text. Called with one JSON object: lines (a path), duckdb (a path)."""

import json
import sys

import duckdb

KINDS = {"integer": "bigint", "number": "double", "boolean": "boolean"}
given = json.loads(sys.argv[1])
connection = duckdb.connect(given["duckdb"])
connection.execute("create schema raw")
columns = {}
for stream in given["streams"]:
    properties = stream["json_schema"]["properties"]
    columns[stream["name"]] = list(properties)
    kinds = []
    for name, field in properties.items():
        types = [field["type"]] if isinstance(field["type"], str) else field["type"]
        kinds.append(f'"{name}" {next((KINDS[one] for one in types if one in KINDS), "varchar")}')
    connection.execute(f"create table raw.{stream['name']} ({', '.join(kinds)})")
rows = {name: [] for name in columns}
with open(given["lines"], encoding="utf-8") as lines:
    for line in lines:
        message = json.loads(line)
        if message["type"] == "RECORD":
            name, data = message["record"]["stream"], message["record"]["data"]
            rows[name].append([json.dumps(v) if isinstance(v, (list, dict)) else v for v in map(data.get, columns[name])])
for name, values in rows.items():
    places = ", ".join("?" for _ in columns[name])
    connection.execute("begin")
    connection.executemany(f"insert into raw.{name} values ({places})", values)
    connection.execute("commit")
