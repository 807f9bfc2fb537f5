"""Reads streams once through PyAirbyte into DuckDB and into PostgreSQL, and keeps the files that it loads from.

Called with one JSON object: bin, config, schema, streams (or null for all), and how: write_strategy and
force_full_refresh; duckdb (a path), postgres (a port).
"""

import json
import sys
from pathlib import Path

import airbyte as ab
from airbyte.caches import DuckDBCache, PostgresCache

given = json.loads(sys.argv[1])
place = Path(given["duckdb"])
files = place.parent / "files" / given["schema"]
source = ab.get_source(
    "source-survey-export", config=given["config"], local_executable=given["bin"], streams=given["streams"] or "*"
)
for cache in [
    DuckDBCache(db_path=place, schema_name=given["schema"], cache_dir=files / "duckdb", cleanup=False),
    PostgresCache(
        host="127.0.0.1",
        port=given["postgres"],
        username="survey",
        password="not asked for",
        database="postgres",
        schema_name=given["schema"],
        cache_dir=files / "postgres",
        cleanup=False,
    ),
]:
    source.read(cache=cache, **given["how"])
