{#
    A whole select statement: the records of a stream in the tables of all connections, with source_relation first and
    loaded_at last; a stream that `is_optional` has no loaded_at. `columns` has pairs of a type and its columns, such as
    ('text key', 'uuid as response_uuid'), in the order of the result. The types are text, bigint, double, boolean,
    timestamp and json, with "key" after them if every table must have the columns.

    `version_of` has the columns of a record's key. With it, only the latest version of each record is there: loaders that
    append keep every version, and each sync reads the last minutes again. Rows for which `is_left_over` is 1 are omitted.
#}
{% macro survey_export_records(stream, columns, version_of=none, is_left_over='0', is_optional=false) -%}
    {%- set tables = dbt_survey_export.survey_export_tables(stream, is_optional) -%}
    {%- set loaded_at = var('survey_export_loaded_at') -%}
    {% for table in tables %}
    select
        {{ table.source_relation }} as source_relation
        {%- for type, names in columns %}
        {%- for name in names.split(', ') %},
        {%- set parts = name.split(' as ') %}
        {{ dbt_survey_export.survey_export_column(tables, table.columns, parts | first, type) }} as {{ parts | last }}
        {%- endfor %}
        {%- endfor %}
        {%- if not is_optional %},
        {{ dbt_survey_export.survey_export_loaded_at(table.columns) }} as loaded_at
        {%- endif %}
    {% if version_of %}
    from (
        select
            *,
            row_number() over (
                partition by {{ version_of }} order by {{ loaded_at ~ ' desc, ' if loaded_at }}collected_at desc
            ) as version,
            {{ is_left_over }} as is_left_over
        from {{ table.relation }}
    ) as versions
    where version = 1 and is_left_over = 0
    {% else %}
    from {{ table.relation }}
    {% endif %}
    {{ 'union all' if not loop.last }}
    {% endfor %}
{%- endmacro %}

{# The columns of such a statement, in a statement with it as `table`; `given` has others in place of some, by name. #}
{% macro survey_export_columns_of(table, columns, given) -%}
    {%- set list = [] -%}
    {%- for name in ('source_relation, ' ~ columns | map('last') | join(', ') ~ ', loaded_at').split(', ') -%}
        {%- set column = name.split(' as ') | last -%}
        {%- do list.append(given[column] ~ ' as ' ~ column if column in given else table ~ '.' ~ column) -%}
    {%- endfor -%}
    {{ list | join(',\n    ') }}
{%- endmacro %}

{#
    A column as this type. A column that is no key may be missing, and is null then: some loaders make no column for a
    field that was null in every record, and some make every column text. A table without a key is the wrong table, and the
    database says which column is missing. Text and JSON stay as they are: dbt's type for text may be shorter than the
    loader's, and missing JSON has the type of another connection's table. What dbt.type_float() gives has 32 bits on DuckDB.
#}
{% macro survey_export_column(tables, columns, name, type) -%}
    {%- set types = {
        'text': dbt.type_string(),
        'bigint': dbt.type_bigint(),
        'double': 'double' if target.type == 'duckdb' else dbt.type_float(),
        'boolean': 'boolean',
        'timestamp': dbt_survey_export.survey_export_timestamp(),
        'json': (tables | map(attribute='columns.' ~ name) | select | list + [dbt.type_string()]) | first,
    } -%}
    {%- if name not in columns and not type.endswith(' key') -%}
        cast(null as {{ types[type] }})
    {%- elif type.startswith('timestamp') -%}
        {{ dbt_survey_export.survey_export_utc_timestamp(columns, name) }}
    {%- elif type == 'json' or (type == 'text' and modules.re.search('char|text|string', columns[name])) -%}
        {{ name }}
    {%- else -%}
        cast({{ name }} as {{ types[type.removesuffix(' key')] }})
    {%- endif -%}
{%- endmacro %}
