"""Reads all streams through PyAirbyte into a DuckDB file, and prints as JSON the rows of each given statement.

Called with one JSON object: bin, config, duckdb (a path), and queries, a statement by name.
"""

import json
import sys
from pathlib import Path

import airbyte as ab
from airbyte.caches import DuckDBCache

given = json.loads(sys.argv[1])
stdout = sys.stdout
sys.stdout = sys.stderr  # PyAirbyte reports its progress there

place = Path(given["duckdb"])
cache = DuckDBCache(db_path=place, schema_name="main", cache_dir=place.parent / "cache", cleanup=False)
source = ab.get_source("source-survey-export", config=given["config"], local_executable=given["bin"])
source.select_all_streams()
source.read(cache=cache)
with cache.get_sql_engine().connect() as connection:
    rows = {
        name: [list(row) for row in connection.exec_driver_sql(query).fetchall()]
        for name, query in given["queries"].items()
    }
    connection.exec_driver_sql("checkpoint")
json.dump(rows, stdout, default=str)
