"""Compiles the package with the adapter of a database that is not here, checks every statement, and runs it on DuckDB.

dbt's own adapter makes the SQL. A stand-in answers what the models ask of the database while they compile: which tables
and columns there are, and the results of queries. It transpiles each query to DuckDB, which holds the sources and
the models so far. Each model becomes a table there from its transpiled statement, and must have the rows that the same
model has on DuckDB by itself. A test must find no row.

Called with one JSON object: type, project, vars, and duckdb, whose schema analytics has the models of a real dbt run.
Prints one JSON object: faults by node, and the number of models that are equal.
"""

import json
import sys
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp

import dialects
from differences import differences

SOURCE_TYPES = {
    "snowflake": {"TIMESTAMP WITH TIME ZONE": "TIMESTAMP_TZ", "BIGINT": "NUMBER", "DOUBLE": "FLOAT", "JSON": "VARIANT"},
    "bigquery": {"TIMESTAMP WITH TIME ZONE": "TIMESTAMP", "BIGINT": "INT64", "DOUBLE": "FLOAT64", "VARCHAR": "STRING", "BOOLEAN": "BOOL"},
    "redshift": {"TIMESTAMP WITH TIME ZONE": "timestamp with time zone", "JSON": "super", "DOUBLE": "double precision"},
    "databricks": {"TIMESTAMP WITH TIME ZONE": "timestamp", "JSON": "string", "VARCHAR": "string"},
}

# What DuckDB lacks, and the models do without transpiling.
MISSING_IN_DUCKDB = """
    create macro current_timezone() as 'UTC';
    create type super as json;
    create macro is_varchar(value) as json_type(value) = 'VARCHAR';
    create macro json_serialize(value) as cast(value as varchar);
"""
# sqlglot makes no statement of these that DuckDB runs. They are compiled and checked.
NOT_TRANSPILED = {
    "survey_export__response_attributes": ("snowflake", "bigquery", "redshift", "databricks", "postgres"),
    "survey_export__url_parameters": ("snowflake", "bigquery", "databricks", "postgres"),
}


class StandIn:
    def __init__(self, given):
        self.type, self.schema = given["type"], f"as_{given['type']}"
        self.database = duckdb.connect(given["duckdb"])
        self.database.execute(f"set timezone = 'UTC'; set lambda_syntax = 'ENABLE_SINGLE_ARROW'; create schema {self.schema}")
        self.database.execute(MISSING_IN_DUCKDB)
        self.faults, self.equal = {}, []

    def transpiled(self, tree):
        tree = tree.copy()
        for table in tree.find_all(exp.Table):
            if table.args.get("db"):
                schema = table.db if table.db.lower() == "raw" else self.schema
                table.set("catalog", None)
                table.set("db", exp.to_identifier(schema))
                table.set("this", exp.to_identifier(table.name.lower()))
        return tree.sql("duckdb")

    def columns(self, schema, name):
        schema = "raw" if schema.lower() == "raw" else self.schema
        rows = self.database.execute(
            "select column_name, data_type from information_schema.columns"
            " where table_schema = ? and table_name = ? order by ordinal_position",
            [schema, name.lower()],
        ).fetchall()
        types = SOURCE_TYPES.get(self.type, {})
        return [(self.named(column), types.get(kind, kind)) for column, kind in rows]

    def named(self, name):
        return name.upper() if self.type == "snowflake" else name

    def query(self, node, sql):
        found, tree = dialects.faults(sql, self.type)
        if found:
            self.faults.setdefault(node, []).extend(found)
        if tree is None:
            raise ValueError(found[0])
        cursor = self.database.execute(self.transpiled(tree))
        names = [self.named(column[0]) for column in cursor.description]
        return names, [dict(zip(names, row)) for row in cursor.fetchall()]

    def seed(self, name, path):
        self.database.execute(
            f"create table {self.schema}.{name} as from read_csv(?, all_varchar = true, header = true)", [path]
        )

    def take(self, node):
        """Checks a compiled node, and runs it."""
        found, tree = dialects.faults(node.compiled_code, self.type)
        try:
            if not found and self.type not in NOT_TRANSPILED.get(node.name, ()):
                sql = self.transpiled(tree)
                if node.resource_type == "test":
                    rows = self.database.execute(sql).fetchall()
                    found = [f"finds {len(rows)} rows"] if rows and node.config.get("severity", "").lower() != "warn" else []
                else:
                    self.database.execute(f"create or replace table {self.schema}.{node.name} as {sql}")
                    found = differences(self.database, f"{self.schema}.{node.name}", f"analytics.{node.name}")
                    self.equal += [] if found else [node.name]
        except (duckdb.Error, sqlglot.errors.SqlglotError) as error:
            found = [f"{error}\n{sql}"]
        if found:
            self.faults.setdefault(node.name, []).extend(found)
        if node.resource_type == "model" and node.name not in self.equal:
            self.database.execute(f"create or replace table {self.schema}.{node.name} as from analytics.{node.name}")

    def take_seed(self, node):
        """BigQuery loads a seed with types of its API, which are fewer than those of its SQL."""
        types = ("string", "int64") if self.type == "bigquery" else (*dialects.TYPES["spark" if self.type == "databricks" else self.type].split(), "varchar(255)")
        wrong = [kind for kind in node.config.column_types.values() if kind not in types]
        if wrong:
            self.faults[node.name] = [f"type {kind}" for kind in wrong]


def patch(adapter, stand_in, node_name):
    """The adapter with our answers in place of a connection."""
    from dbt.adapters.contracts.connection import AdapterResponse
    from dbt_common.clients.agate_helper import empty_table, table_from_data_flat

    def columns(self, relation):
        return [self.Column(name, kind) for name, kind in stand_in.columns(relation.schema, relation.identifier)]

    def relation(self, database, schema, identifier):
        if not stand_in.columns(schema, identifier):
            return None
        return self.Relation.create(database=database, schema=schema, identifier=identifier, type="table")

    def execute(self, sql, *args, fetch=False, **kwargs):
        names, rows = stand_in.query(node_name(), sql)
        return AdapterResponse("OK"), table_from_data_flat(rows, names) if fetch else empty_table()

    adapter.ConnectionManager.open = adapter.ConnectionManager.close = classmethod(lambda cls, connection: connection)
    adapter.clear_transaction = adapter.commit_if_has_connection = lambda self: None
    adapter.get_columns_in_relation, adapter.get_relation, adapter.execute = columns, relation, execute


def main(given):
    import importlib

    from dbt.cli.main import dbtRunner
    from dbt.task.compile import CompileRunner

    stand_in = StandIn(given)
    for path in Path(given["project"]).glob("seeds/*.csv"):
        stand_in.seed(path.stem, str(path))
    current = []
    adapter = importlib.import_module(f"dbt.adapters.{given['type']}").Plugin.adapter
    patch(adapter, stand_in, lambda: current[-1])
    original = CompileRunner.compile

    def compile(self, manifest):
        current.append(self.node.name)
        for seed in (seed for versions in manifest.disabled.values() for seed in versions):  # the project has seeds of its own
            if seed.resource_type == "seed":
                stand_in.take_seed(seed)
        node = original(self, manifest)
        if node.resource_type in ("model", "test"):
            stand_in.take(node)
        return node

    CompileRunner.compile = compile
    places = ["--project-dir", given["project"], "--profiles-dir", given["project"], "--vars", json.dumps(given["vars"])]
    seed = "survey_export_label_seed"
    for command in (["compile", "--no-populate-cache", "--threads", "1"], ["run-operation", seed]):
        current.append(seed)
        result = dbtRunner().invoke(["--quiet", *command, *places])
        for one in getattr(result.result, "results", []):
            if one.status == "error":
                stand_in.faults.setdefault(current[-1] if command[0] == "run-operation" else one.node.name, []).append(one.message)
        if result.exception:
            stand_in.faults.setdefault("dbt", []).append(str(result.exception))
    json.dump({"faults": stand_in.faults, "equal": sorted(stand_in.equal)}, sys.stdout)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
