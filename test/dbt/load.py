"""Reads all streams twice through PyAirbyte, with new responses in between, into DuckDB and into PostgreSQL.

Called with one JSON object: bin, config, duckdb (a path), postgres (a port), collect, a list of addresses to post to
between the two reads, and remove, an address with what to post to it afterwards: then the streams of keys are read once
more. Records are appended, so that whatever comes twice is there twice.
"""

import json
import sys
import urllib.request
from pathlib import Path

import airbyte as ab
from airbyte.caches import DuckDBCache, PostgresCache

given = json.loads(sys.argv[1])
place = Path(given["duckdb"])
caches = [
    DuckDBCache(db_path=place, schema_name="raw", cache_dir=place.parent / "duckdb", cleanup=False),
    PostgresCache(
        host="127.0.0.1",
        port=given["postgres"],
        username="survey",
        password="not asked for",
        database="postgres",
        schema_name="raw",
        cache_dir=place.parent / "postgres",
        cleanup=False,
    ),
]
source = ab.get_source("source-survey-export", config=given["config"], local_executable=given["bin"])
source.select_all_streams()
for round in range(2):
    for cache in caches:
        source.read(cache=cache, write_strategy="append")
    if round == 0:
        for address in given["collect"]:
            urllib.request.urlopen(urllib.request.Request(address, method="POST")).read()
address, removed = given["remove"]
body = json.dumps(removed).encode()
urllib.request.urlopen(urllib.request.Request(address, body, {"content-type": "application/json"})).read()
source.select_streams(["response_keys", "response_key_snapshots"])
for cache in caches:
    source.read(cache=cache, write_strategy="append")
