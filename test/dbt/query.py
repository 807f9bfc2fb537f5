"""Prints the rows of queries as JSON. Called with one JSON object: duckdb (a path) or postgres (a port), and sql."""

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


if "duckdb" in given:
    import duckdb

    connection = duckdb.connect(given["duckdb"], read_only=True)
else:
    import psycopg2

    connection = psycopg2.connect(host="127.0.0.1", port=given["postgres"], user="survey", dbname="postgres")
cursor = connection.cursor()
cursor.execute(given["sql"])
names = [column[0] for column in cursor.description]
json.dump([dict(zip(names, row)) for row in cursor.fetchall()], sys.stdout, default=spelled)
