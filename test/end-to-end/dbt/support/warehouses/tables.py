"""The records of the source's output as the tables that a warehouse has, in DuckDB: each record twice, since loaders that
append keep every version, some cases that are hard for a database, and a snapshot of all keys that lacks a response.

Called with one JSON object: lines (a path), streams (of the catalog), names (of attributes of one more person), duckdb (a path).
"""

import json
import sys

import duckdb

TYPES = {"integer": "bigint", "number": "double", "boolean": "boolean", "array": "json", "object": "json"}
LONG = "Long. " * 100
HARD = [
    ("https://shop.example/a?ticket_id=00042&who=Zo%C3%AB+%26+%F0%9F%91%8D#top?x=1", '[{"name":"plan","value":"gold"}]'),
    ("https://shop.example/?empty=&flag&&equation=a=b&q=100%&bad=%FF%41&long=%E2%82%AC%zz", '[{"name":"n","value":4.5}]'),
    ("https://shop.example/#section?not=a&query", '[{"name":"o","value":{"a":1}},{"value":"none"},{"name":"x"}]'),
    ("", '{"name":"no list"}'),
]


def type_of(field):
    if field.get("format") == "date-time":
        return "timestamptz"
    types = [field["type"]] if isinstance(field["type"], str) else field["type"]
    return next((TYPES[one] for one in types if one in TYPES), "varchar")


def load(given):
    connection = duckdb.connect(given["duckdb"])
    connection.execute("set timezone = 'UTC'")
    connection.execute("create schema raw")
    columns = {stream["name"]: stream["json_schema"]["properties"] for stream in given["streams"]}
    rows = {name: [] for name in columns}
    with open(given["lines"], encoding="utf-8") as lines:
        for message in map(json.loads, lines):
            if message["type"] == "RECORD":
                name, data = message["record"]["stream"], message["record"]["data"]
                values = map(data.get, columns[name])
                rows[name].append([json.dumps(v) if isinstance(v, (list, dict)) else v for v in values])
    for name, fields in columns.items():
        kinds = [f'"{column}" {type_of(field)}' for column, field in fields.items()]
        kinds.append("_airbyte_extracted_at timestamptz, _airbyte_meta json")
        connection.execute(f"create table raw.{name} ({', '.join(kinds)})")
        if not rows[name]:
            continue
        connection.execute("begin")
        for hour in "12":
            values = [*["?" for _ in fields], f"'2026-11-01 0{hour}:00:00+00'", """'{"changes":[{"change":"NULLED"}]}'"""]
            connection.executemany(f"insert into raw.{name} values ({', '.join(values)})", rows[name])
        connection.execute("commit")
    connection.execute("update raw.survey_answers set value_text = ? where position = 1 and question_id % 2 = 1 and nps_tag is null", [LONG])
    connection.execute("create temp table one as from raw.survey_responses order by collected_at limit 1")
    for number, (url, attributes) in enumerate(HARD):
        connection.execute(
            "insert into raw.survey_responses select * replace (? as uuid, ? as url, ?::json as attributes) from one",
            [f"hard-{number}", url, attributes],
        )
    connection.executemany(
        "insert into raw.respondent_attributes (respondent_uuid, id, name, value, _airbyte_extracted_at)"
        " values ('hostile', ?, ?, 'a value', '2026-11-01 02:00:00+00')",
        list(enumerate(given["names"])),
    )
    connection.execute("drop table if exists raw.response_keys")
    connection.execute("drop table if exists raw.response_key_snapshots")
    connection.execute("""
        create table raw.response_keys as
        select distinct survey_id, uuid as response_uuid, respondent_uuid, collected_at,
            '2026-11-02T00:00:00.000000Z' as snapshot_id, timestamptz '2026-11-02 00:00:01+00' as _airbyte_extracted_at
        from raw.survey_responses where uuid <> 'hard-3';
        create table raw.response_key_snapshots as
        select snapshot_id, survey_id, count(*) as number_of_keys, null::timestamptz as covered_from,
            timestamptz '2026-11-01 00:00:00+00' as covered_to, _airbyte_extracted_at
        from raw.response_keys group by all;
    """)


if __name__ == "__main__":
    load(json.loads(sys.argv[1]))
