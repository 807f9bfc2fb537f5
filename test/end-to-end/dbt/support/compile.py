"""Compiles the package with the adapter of a warehouse that is not here, and parses each statement in its dialect.

In place of a connection, the streams' columns are given, and so are the questions that have a column of their own.
Called with one JSON object: type, project, vars, and columns (of each table, by name with the type).
Prints one JSON object: the name of each model, analysis and test, with what is wrong with its statement, or null.
"""

import importlib
import json
import sys

import sqlglot
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.cli.main import dbtRunner
from dbt_common.clients.agate_helper import table_from_data_flat

QUESTIONS = [
    {
        **{"column_name": name, "survey_id": "1001", "question_id": number, "label": None if name else "How was it?"},
        **{"lowest_kind": kind, "highest_kind": kind},
    }
    for number, (name, kind) in enumerate({"score": "number", "done": "boolean", "said": "text", None: "text"}.items())
]

given = json.loads(sys.argv[1])
adapter = importlib.import_module(f"dbt.adapters.{given['type']}").Plugin.adapter


def columns(self, relation):
    return [self.Column(name, kind) for name, kind in given["columns"].get(relation.identifier.lower(), {}).items()]


def relation(self, database, schema, identifier):
    return self.Relation.create(database=database, schema=schema, identifier=identifier, type="table")


def execute(self, sql, *args, **kwargs):
    sqlglot.parse_one(sql, read=given["type"])
    rows = QUESTIONS if "lowest_kind" in sql else []
    return AdapterResponse("OK"), table_from_data_flat(rows, list(QUESTIONS[0]))


def fault(statement):
    try:
        sqlglot.parse_one(statement, read=given["type"])
    except sqlglot.errors.SqlglotError as error:
        return str(error)


adapter.ConnectionManager.open = adapter.ConnectionManager.close = classmethod(lambda cls, connection: connection)
adapter.clear_transaction = adapter.commit_if_has_connection = lambda self: None
adapter.get_columns_in_relation, adapter.get_relation, adapter.execute = columns, relation, execute

places = ["--project-dir", given["project"], "--profiles-dir", given["project"], "--vars", json.dumps(given["vars"])]
dbtRunner().invoke(["--quiet", "deps", *places[:4]])
compiled = dbtRunner().invoke(["--quiet", "compile", "--no-populate-cache", "--threads", "1", *places])
if compiled.exception:
    raise compiled.exception
faults = {
    one.node.name: one.message if one.status == "error" else fault(one.node.compiled_code)
    for one in compiled.result.results
    if one.node.resource_type != "seed"
}
json.dump(faults, sys.stdout)
