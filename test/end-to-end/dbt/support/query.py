"""Runs a statement, or several, and prints the rows of the last one as JSON. Called with one JSON object: a dbt profile's output, and sql."""

import datetime
import decimal
import json
import sys

given = json.loads(sys.argv[1])


def spelled(value):
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return str(value)


if given["type"] == "duckdb":
    import duckdb

    connection = duckdb.connect(given["path"])
else:
    import psycopg2

    connection = psycopg2.connect(host=given["host"], port=given["port"], user=given["user"], dbname=given["dbname"])
cursor = connection.cursor()
cursor.execute(f"create schema if not exists {given['schema']}")
cursor.execute(f"set search_path = '{given['schema']}'")
cursor.execute(given["sql"])
names = [column[0] for column in cursor.description]
json.dump([dict(zip(names, row)) for row in cursor.fetchall()], sys.stdout, default=spelled)
connection.commit()
