"""Runs a connection of airbyte-serverless into DuckDB, which it has no destination for.

    pip install airbyte-serverless duckdb
    python load.py connection.yaml

Records are appended as they come, one table `_airbyte_raw_<stream>` each, as in airbyte-serverless's BigQuery. The
view `<stream>` shows the newest record of each primary key. The states lie in `_airbyte_states`.

`abs run` ends with exit code 0 even when the source failed. This script ends with 1, and shows the error.
"""

import json
import sys

import duckdb
from airbyte_serverless import destinations
from airbyte_serverless.connections import Connection
from airbyte_serverless.sources import AirbyteSourceException


class DuckDBDestination(destinations.BaseDestination):
    yaml_definition_example = 'path: "" # REQUIRED | string | The database file'

    def __init__(self, path, **options):
        super().__init__(**options)
        self.database = duckdb.connect(path)

    def get_state(self):
        """The newest state of each stream."""
        self._create_table("_airbyte_states")
        rows = self.database.execute(
            """
            select _airbyte_data from _airbyte_states
            qualify row_number() over (
                partition by _airbyte_data->>'$.stream.stream_descriptor.name' order by _airbyte_loaded_at desc
            ) = 1
            """
        ).fetchall()
        return [json.loads(state) for (state,) in rows]

    def _write(self, table, rows):
        self._create_table(table)
        values = [[row[name] for name, *_ in self.destination_columns] for row in rows]
        marks = ", ".join("?" for _ in self.destination_columns)
        self.database.begin()  # one transaction for all of them, not one for each
        self.database.executemany(f'insert into "{table}" values ({marks})', values)
        self.database.commit()

    def _create_table(self, table):
        types = {"string": "varchar"}
        columns = ", ".join(f"{name} {types.get(kind, kind)}" for name, kind, _ in self.destination_columns)
        self.database.execute(f'create table if not exists "{table}" ({columns})')

    def create_views(self, streams):
        for stream in streams:
            raw = f"_airbyte_raw_{stream['name']}"
            self._create_table(raw)
            key = ", ".join(f"_airbyte_data->>'$.{name}'" for [name] in stream["source_defined_primary_key"])
            fields = ", ".join(
                f"_airbyte_data->>'$.{name}' as \"{name}\"" for name in stream["json_schema"]["properties"]
            )
            self.database.execute(
                f"""
                create or replace view "{stream['name']}" as select {fields} from "{raw}"
                qualify row_number() over (partition by {key} order by _airbyte_extracted_at desc) = 1
                """
            )


def main():
    destinations.DESTINATION_CLASS_MAP["duckdb"] = DuckDBDestination
    with open(sys.argv[1], encoding="utf-8") as file:
        connection = Connection(file.read())
    source, destination = connection.source, connection.destination
    try:
        configured = source.configured_catalog["streams"]
        destination.load(source.extract(state=destination.get_state()))
    except AirbyteSourceException as error:
        sys.exit(f"ERROR {json.loads(str(error))['message']}")
    destination.create_views([each["stream"] for each in configured])


if __name__ == "__main__":
    main()
