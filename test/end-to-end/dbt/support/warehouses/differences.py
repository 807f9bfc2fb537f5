"""Whether two tables of DuckDB have the same columns and rows, whatever the databases call their types."""


def differences(database, ours, theirs, without=()):
    def described(table):
        return {column.lower(): kind for column, kind, *_ in database.execute(f"describe {table}").fetchall()}

    def rows(table, kinds):
        return f"select {', '.join(comparable(column, kinds[column]) for column in sorted(kinds) if column not in without)} from {table}"

    one, other = described(ours), described(theirs)
    if one.keys() != other.keys():
        return [f"has other columns: {sorted(one.keys() ^ other.keys())}"]
    pair = rows(ours, one), rows(theirs, other)
    return [
        f"row {which}: {row}"
        for which, (some, others) in {"too many": pair, "too few": pair[::-1]}.items()
        for row in database.execute(f"{some} except all {others} limit 2").fetchall()
    ]


def comparable(column, kind):
    if kind.startswith(("DOUBLE", "DECIMAL", "FLOAT", "BIGINT", "HUGEINT", "INTEGER")):
        return f"round({column}::double, 4) as {column}"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"timezone('UTC', {column})::varchar as {column}"
    return f"{column}::varchar as {column}"


def compared(result, database, table, schema, without={}):
    """What dbt's result has of faults by node, and the models that are equal to those in the schema."""
    faults, equal = {"dbt": str(result.exception)} if result.exception else {}, []
    for one in result.result or []:
        name = one.node.name
        if one.status not in ("success", "pass", "warn"):
            faults[name] = [str(one.message)]
        elif one.node.resource_type == "model":
            found = differences(database, table(name), f"{schema}.{name}", without.get(name, ()))
            if found:
                faults[name] = found
            else:
                equal.append(name)
    return {"faults": faults, "equal": sorted(equal)}
