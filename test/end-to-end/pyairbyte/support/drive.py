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

source = ab.get_source("source-survey-export", config=given["config"], local_executable=given["bin"])


def tables(cache):
    """Of each stream its rows, without what PyAirbyte adds, and the types of its columns."""
    found = {}
    with cache.get_sql_engine().connect() as connection:
        for stream in cache.streams:
            types = connection.exec_driver_sql(
                f"select column_name, data_type from information_schema.columns where table_name = '{stream}'"
            ).fetchall()
            columns = {name: kind for name, kind in types if not name.startswith("_airbyte")}
            cells = ", ".join(f'cast("{name}" as varchar)' for name in columns)
            rows = connection.exec_driver_sql(f"select {cells} from {stream}").fetchall()
            found[stream] = {"types": columns, "rows": [dict(zip(columns, row)) for row in rows]}
    return found


def read(cache, **options):
    result = source.read(cache=cache, **options)
    return {"processed": result.processed_records, "tables": tables(cache)}


report = {
    "properties": sorted(source.config_spec["properties"]),
    "streams": source.get_available_streams(),
}
source.check()
source.select_streams(given["streams"])
kept = ab.new_local_cache("kept", cache_dir=f"{given['folder']}/kept", cleanup=False)
report["first"] = read(kept)
for address in given["collect"]:
    urllib.request.urlopen(urllib.request.Request(address, method="POST")).read()
report["second"] = read(kept)
report["third"] = read(kept)
fresh = ab.new_local_cache("fresh", cache_dir=f"{given['folder']}/fresh", cleanup=False)
report["full"] = read(fresh, force_full_refresh=True)
snapshots = [name for name in report["streams"] if name not in given["streams"]]
source.select_streams(snapshots)
report["snapshots"] = [read(kept) for _ in range(2)][-1]
try:
    ab.get_source(
        "source-survey-export", config={**given["config"], "api_key": "no-such-key"}, local_executable=given["bin"]
    ).check()
except Exception as refused:  # whichever it is, its text is what the user sees
    report["refused"] = str(refused)
json.dump(report, stdout)
