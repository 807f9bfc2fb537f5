"""Builds the package with dbt-snowflake on fakesnow, a stand-in for Snowflake, and compares the models with DuckDB's.

Called with one JSON object: project, vars, and duckdb, whose schema raw has the sources and whose schema
analytics has the models of a real dbt run. Prints the faults by node, and the models that are equal, as
one JSON object.
"""

import json
import sys

import snowflake.connector
from fakesnow.instance import FakeSnow

from compile import SOURCE_TYPES
from differences import compared


def main(given):
    service = FakeSnow()
    snowflake.connector.connect = service.connect
    connection = service.connect(database="d", schema="raw")
    database = service.duck_conn
    database.execute(f"attach '{given['duckdb']}' as source (read_only)")
    tables = database.execute("select table_name from duckdb_tables() where database_name = 'source' and schema_name = 'raw'")
    for (name,) in tables.fetchall():
        columns = database.execute(f"describe source.raw.{name}").fetchall()
        types = ", ".join(f"{column} {SOURCE_TYPES['snowflake'].get(kind, kind)}" for column, kind, *_ in columns)
        connection.cursor().execute(f"create table {name} ({types})")
        database.execute(f"insert into d.raw.{name} from source.raw.{name}")
    # The one function of ours that fakesnow lacks.
    connection.cursor().execute("create schema analytics")
    database.execute("create macro d.analytics.try_hex_decode_string(hex) as try(decode(unhex(hex)))")
    from dbt.cli.main import dbtRunner

    arguments = ["build", "--quiet", "--threads", "1", "--vars", json.dumps(given["vars"])]
    places = ["--project-dir", given["project"], "--profiles-dir", given["project"]]
    result = dbtRunner().invoke([*arguments, *places])
    # fakesnow numbers the rows of flatten in any order.
    without = {"survey_export__url_parameters": ["position"], "survey_export__response_attributes": ["position"]}
    json.dump(compared(result, database, lambda name: f"d.analytics.{name}", "source.analytics", without), sys.stdout)



if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
