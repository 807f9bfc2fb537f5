"""Builds the package with dbt-spark on a Spark of this process, and compares the models with DuckDB's.

Called with one JSON object: project, vars, and duckdb, whose schema raw has the sources and whose schema analytics has
the models of a real dbt run. Prints the faults by node, and the models that are equal, as one JSON object.
"""

import json
import os
import sys

import duckdb
from differences import compared
from pyspark.sql import SparkSession

# A day of the models is one of UTC, whatever the session's time zone is.
TIME_ZONE = "America/New_York"


def main(given):
    place = given["project"]
    os.chdir(place)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.session.timeZone", TIME_ZONE)
        .config("spark.sql.warehouse.dir", f"{place}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .enableHiveSupport()
        .getOrCreate()
    )
    database = duckdb.connect(given["duckdb"], read_only=True)
    database.execute("set timezone = 'UTC'")
    spark.sql("create schema raw")
    tables = database.execute("select table_name from information_schema.tables where table_schema = 'raw'").fetchall()
    for (name,) in tables:
        database.execute(f"copy raw.{name} to '{place}/{name}.parquet'")
        spark.read.parquet(f"{place}/{name}.parquet").write.saveAsTable(f"raw.{name}")
    from dbt.cli.main import dbtRunner

    def table(name):
        spark.table(f"analytics.{name}").write.parquet(f"{place}/models/{name}")
        return f"'{place}/models/{name}/*.parquet'"

    places = ["--project-dir", place, "--profiles-dir", place, "--vars", json.dumps(given["vars"])]
    json.dump(compared(dbtRunner().invoke(["build", "--quiet", *places]), database, table, "analytics"), sys.stdout)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
