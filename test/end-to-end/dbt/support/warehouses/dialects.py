"""What a compiled statement may hold in each database, beyond what sqlglot checks: sqlglot parses liberally, so that
`timezone('UTC', x)` passes as a function of BigQuery. The names are from memory, and were looked up in doubt."""

import sqlglot
from sqlglot import exp
from sqlglot.tokens import TokenType

FUNCTIONS = set("abs avg coalesce count floor lag lead length lower max md5 min nullif replace row_number sum trim".split())
OWN_FUNCTIONS = {
    "duckdb": """bool_or concat date_add generate_subscripts json_extract_string json_type listagg position split_part
        string_split substring timezone try unnest url_decode""",
    "postgres": """bool_or convert_from convert_to decode jsonb_array_elements jsonb_typeof position regexp_matches
        split_part string_agg string_to_array substr substring timezone unnest""",
    "redshift": """bool_or dateadd is_array is_varchar json_parse json_serialize listagg position split_part
        substring timezone""",
    "snowflake": """array_to_string boolor_agg convert_timezone dateadd flatten hex_encode iff is_array listagg position regexp_like
        regexp_substr_all split split_part substr substring transform try_hex_decode_string try_parse_json""",
    "bigquery": """concat datetime_add from_hex if json_query json_query_array json_value logical_or regexp_contains
        regexp_extract_all safe_cast safe_offset split string_agg strpos substr substring to_hex to_json_string unnest""",
    "spark": """array_join array_sort bool_or collect_list concat current_timezone from_json get instr named_struct posexplode position
        regexp_extract regexp_replace split split_part substring timestampadd to_utc_timestamp transform url_decode""",
}
TYPES = {
    "duckdb": "bigint boolean date double_precision integer json json[] text timestamp",
    "postgres": "bigint boolean bytea date double_precision integer jsonb text timestamp",
    "redshift": "bigint boolean date double_precision integer super timestamp varchar",
    "snowflake": "bigint boolean date double_precision integer timestamp_ntz timestamp_tz timestamp text varchar",
    "bigquery": "bigint boolean bytes date datetime float64 int64 string timestamp",
    "spark": "bigint boolean date double int integer string timestamp timestamp_ntz",
}
# Operators that only these have; others take them for something else, or not at all.
OPERATORS = {
    TokenType.DCOLON: ("duckdb", "postgres", "redshift", "snowflake", "databricks"),
    TokenType.TILDE: ("postgres", "redshift"),
    TokenType.ARROW: ("duckdb", "postgres", "snowflake", "spark", "databricks"),
    TokenType.DARROW: ("postgres",),
}
# Words before "(" that are no functions.
WORDS = set("all and as by case cast distinct else exists from group in join lateral not on or over then using view when where".split())


def faults(sql, dialect):
    """The sentences that say what this database cannot run in the statement, and the statement as sqlglot reads it."""
    try:
        (tree,) = sqlglot.parse(sql, read=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    except (sqlglot.errors.SqlglotError, ValueError) as error:
        return [f"does not parse: {error}"], None
    own = "spark" if dialect == "databricks" else dialect
    functions = FUNCTIONS | set(OWN_FUNCTIONS[own].split())
    found = []
    tokens = sqlglot.tokenize(sql, read=dialect)
    words = [token.text.lower() for token in tokens]
    quoted = [token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) for token in tokens]
    casts = []
    for place, (token, word) in enumerate(zip(tokens, words)):
        if token.token_type in OPERATORS and dialect not in OPERATORS[token.token_type]:
            found.append(f"operator {token.text}")
        is_call = words[place + 1 : place + 2] == ["("] and word.isidentifier() and not quoted[place]
        is_alias = place > 0 and words[place - 1] == "as"
        if is_call and word not in functions | WORDS and not is_alias:
            found.append(f"function {word}")
        if word == "(":
            casts.append(words[place - 1] if place else "")
        elif word == ")":
            casts.pop()
        elif word == "as" and casts and casts[-1] in ("cast", "safe_cast"):
            rest = words[place + 1 :]
            end = next(at for at, one in enumerate(rest) if one in ("(", ")"))
            if "_".join(rest[:end]).replace(" ", "_").replace("_[_]", "[]") not in TYPES[own].split():
                found.append(f"type {' '.join(rest[:end])}")
    if own not in ("duckdb", "postgres"):
        for select in tree.find_all(exp.Select):
            for column in select.expressions:
                if column.find(exp.Unnest, exp.Explode, exp.Posexplode) and not column.find(exp.Subquery, exp.Select):
                    found.append(f"rows made in a select list: {column.sql(dialect)}")
    if own == "redshift":
        for window in tree.find_all(exp.Window):
            if isinstance(window.this, exp.AggFunc) and window.args.get("order") and not window.args.get("spec"):
                if not isinstance(window.this, (exp.Lag, exp.Lead)):
                    found.append(f"window without rows between: {window.sql(dialect)}")
    for added in tree.find_all(exp.DatetimeAdd):
        if not isinstance(added.parent, exp.Cast):
            found.append(f"a datetime, which no timestamp compares with: {added.sql(dialect)}")
    reserved = sqlglot.Dialect.get_or_raise(dialect).generator_class.RESERVED_KEYWORDS
    for name in tree.find_all(exp.Identifier):
        if not name.quoted and name.this.lower() in reserved:
            found.append(f"reserved word {name.this}")
    return found, tree
