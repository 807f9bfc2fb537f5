"""Drives the source through PyAirbyte, and prints as JSON what came of it.

Called with one JSON object: bin, config, folder, streams (all but the snapshots), and collect, a list of addresses to
post to between the first incremental read and the second. The other streams are read twice at the end.
"""

import json
import sys
import urllib.request

import airbyte as ab

given = json.loads(sys.argv[1])
stdout = sys.stdout
sys.stdout = sys.stderr  # PyAirbyte reports its progress there


def source_with(config):
    return ab.get_source("source-survey-export", config=config, local_executable=given["bin"])


def read(cache, **options):
    """How many records came, and of each stream its rows, without what PyAirbyte adds, and the types of its columns."""
    processed = source.read(cache=cache, **options).processed_records
    found = {}
    with cache.get_sql_engine().connect() as connection:
        for stream in cache.streams:
            query = f"select column_name, data_type from information_schema.columns where table_name = '{stream}'"
            types = connection.exec_driver_sql(query).fetchall()
            columns = {name: kind for name, kind in types if not name.startswith("_airbyte")}
            cells = ", ".join(f'cast("{name}" as varchar)' for name in columns)
            rows = connection.exec_driver_sql(f"select {cells} from {stream}").fetchall()
            found[stream] = {"types": columns, "rows": [dict(zip(columns, row)) for row in rows]}
    return {"processed": processed, "tables": found}


source = source_with(given["config"])
source.check()
report = {"properties": sorted(source.config_spec["properties"]), "streams": source.get_available_streams()}
kept = ab.new_local_cache("kept", cache_dir=f"{given['folder']}/kept", cleanup=False)
source.select_streams(given["streams"])
report["first"] = read(kept)
for address in given["collect"]:
    urllib.request.urlopen(urllib.request.Request(address, method="POST")).read()
report["second"] = read(kept)
fresh = ab.new_local_cache("fresh", cache_dir=f"{given['folder']}/fresh", cleanup=False)
report["full"] = read(fresh, force_full_refresh=True)
source.select_streams([name for name in report["streams"] if name not in given["streams"]])
report["snapshots"] = [read(kept) for _ in range(2)][-1]
try:
    source_with({**given["config"], "api_key": "no-such-key"}).check()
except Exception as refused:  # whichever it is, its text is what the user sees
    report["refused"] = str(refused)
json.dump(report, stdout)
