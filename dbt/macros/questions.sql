{#
    The seed question_labels or answer_labels: the package's, which is empty, or what the variable survey_export_<seed> names,
    such as your_project.question_labels. With the project's name, dbt does not warn that the package depends on the project.
#}
{% macro survey_export_labels(seed) %}
    {% set place = (var('survey_export_' ~ seed) or 'dbt_survey_export.' ~ seed).split('.') %}
    {{ return(ref(place[0], place[1])) }}
{% endmacro %}

{# A text of a seed, without the apostrophe that survey_export_label_seed puts before what looks like a formula. #}
{% macro survey_export_seed_text(column) -%}
    {%- set text = 'cast(' ~ column ~ ' as ' ~ dbt.type_string() ~ ')' -%}
    {%- set marks = "('=', '+', '-', '@', chr(39), chr(9), chr(13))" -%}
    case when substr({{ text }}, 1, 1) = chr(39) and substr({{ text }}, 2, 1) in {{ marks }} then substr({{ text }}, 2) else {{ text }} end
{%- endmacro %}

{#
    A whole select statement: the label that a seed gives to a survey_id with these `ids`, if it has text. The columns are
    cast, since a column of a seed that is empty in every row has the type integer.
#}
{% macro survey_export_labels_by(seed, ids) -%}
    {%- set label = dbt_survey_export.survey_export_seed_text('label') -%}
    select
        {{ dbt_survey_export.survey_export_seed_text('survey_id') }} as survey_id,
        {% for id in ids %}
        cast({{ id }} as {{ dbt.type_bigint() }}) as {{ id }},
        {% endfor %}
        max(trim({{ label }})) as label
    from {{ dbt_survey_export.survey_export_labels(seed) }}
    where {{ dbt_survey_export.survey_export_has_text(label) }}
    group by {{ dbt_survey_export.survey_export_seed_text('survey_id') }}, {{ ids | join(', ') }}
{%- endmacro %}

{#
    The columns of survey_export__responses_wide by name, each as { kinds, questions }: those that question_labels names, and
    one for each other question of the surveys in survey_export_wide_surveys, named after its text: by id, so that a new
    question, whose id is higher, does not take the name of an older one with the same text. The kinds are those of
    the answers: number, boolean or text. Answers that are not known (null, or of a kind that the source does not know) have none.
#}
{% macro survey_export_question_columns(labels_model, answers_model, questions_model, fixed_columns) %}
    {% set found = {} %}
    {% set labels = load_relation(labels_model) if execute else none %}
    {% set answers = load_relation(answers_model) if execute else none %}
    {% set questions = load_relation(questions_model) if execute else none %}
    {% if labels is not none and answers is not none and questions is not none %}
        {% set kind = dbt_survey_export.survey_export_value_kind('answers.answer_type') %}
        {% set text = dbt.type_string() %}
        {% set query %}
            with named as (
                select
                    {{ dbt_survey_export.survey_export_seed_text('survey_id') }} as survey_id,
                    cast(question_id as {{ dbt.type_bigint() }}) as question_id,
                    trim(cast(column_name as {{ text }})) as column_name
                from {{ labels }}
                where {{ dbt_survey_export.survey_export_has_text('cast(column_name as ' ~ text ~ ')') }}
            ),
            texts as (
                select survey_id, question_id, label, null as question from {{ questions }}
                union all
                select survey_id, question_id, null as label, question
                from ({{ dbt_survey_export.survey_export_question_readings() }}) as listed
                where recency = 1
                union all
                select survey_id, question_id, label, null as question
                from ({{ dbt_survey_export.survey_export_labels_by('question_labels', ['question_id']) }}) as seed
            ),
            columns_of as (
                select column_name, survey_id, question_id, null as label from named
                union all
                select null as column_name, survey_id, question_id, coalesce(max(label), max(question)) as label
                from texts
                left join named using (survey_id, question_id)
                where {{ dbt_survey_export.survey_export_is_one_of('survey_id', var('survey_export_wide_surveys')) }} and column_name is null
                group by survey_id, question_id
            )
            select columns_of.*, min({{ kind }}) as lowest_kind, max({{ kind }}) as highest_kind
            from columns_of
            left join {{ answers }} as answers
                on columns_of.survey_id = answers.survey_id and columns_of.question_id = answers.question_id
                and {{ dbt_survey_export.survey_export_counts() }}
            group by column_name, columns_of.survey_id, columns_of.question_id, columns_of.label
            order by columns_of.question_id, columns_of.survey_id, column_name
        {% endset %}
        {# values by number, since Snowflake gives the names of columns in upper case #}
        {% set rows = run_query(query).rows %}
        {% set taken = fixed_columns + rows | map(attribute=0) | select | map('lower') | list %}
        {% for row in rows %}
            {% set column = row[0] or dbt_survey_export.survey_export_text_column(row[3], row[2] | int, taken) %}
            {% do taken.append(column) %}
            {% set known = found.setdefault(column, {'kinds': [], 'questions': []}) %}
            {% for kind in [row[4], row[5]] if kind is not none %}
                {% do known.kinds.append(kind) %}
            {% endfor %}
            {% do known.questions.append({'survey_id': row[1] | string, 'question_id': row[2] | int}) %}
        {% endfor %}
    {% endif %}
    {% do dbt_survey_export.survey_export_check_column_names(found.keys(), fixed_columns) %}
    {{ return(found) }}
{% endmacro %}

{#
    A text in the letters from a to z and digits, joined by "_", at most 55 characters: accents are dropped, and ä, ö and ü
    get an e, also if the accent is a character of its own. Scripts without Latin letters give nothing.
#}
{% macro survey_export_word(text) %}
    {% set letters = {
        'a': 'àáâãåāăąạảấầẩẫậắằẳẵặ', 'ae': 'äæǽ', 'c': 'çćĉċč', 'd': 'ðďđ', 'e': 'èéêëēĕėęěəẹẻẽếềểễệ', 'g': 'ĝğġģǧ', 'h': 'ĥħ', 'i': 'ìíîïĩīĭįıỉị',
        'ij': 'ĳ', 'j': 'ĵ', 'k': 'ķ', 'l': 'ĺļľŀł', 'n': 'ñńņňŉŋ', 'o': 'òóôõøōŏőơǿọỏốồổỗộớờởỡợ', 'oe': 'öœ', 'r': 'ŕŗř', 'ss': 'ß', 's': 'śŝşšſș', 't': 'ţťŧț',
        'th': 'þ', 'u': 'ùúûũūŭůűųưụủứừửữự', 'ue': 'ü', 'w': 'ŵẃẁẅ', 'y': 'ýÿŷỳỵỷỹ', 'z': 'źżž', '': '\u0300-\u036f',
    } %}
    {% set plain = namespace(text=modules.re.sub('([aou])\u0308', '\\1e', (text or '') | lower)) %}
    {% for letter, forms in letters.items() %}
        {% set plain.text = modules.re.sub('[' ~ forms ~ ']', letter, plain.text) %}
    {% endfor %}
    {{ return(modules.re.sub('[^a-z0-9]+', '_', plain.text).strip('_')[:55].strip('_')) }}
{% endmacro %}

{#
    The column of a question, by its text. It ends in the question's id if another column has the name (`taken` lists those),
    or if the name could be a word of SQL ("order", "current_date") or another one's with an id. The id -5 is n5 there.
#}
{% macro survey_export_text_column(text, id, taken) %}
    {% set word = dbt_survey_export.survey_export_word(text) %}
    {% set is_plain = modules.re.fullmatch('(?!current_|session_|system_)[a-z][a-z0-9]*_[a-z0-9_]*[a-z]', word) %}
    {% if is_plain and word not in taken %}
        {{ return(word) }}
    {% endif %}
    {% set end = '_' ~ id | string | replace('-', 'n') %}
    {% set start = word if modules.re.match('[a-z]', word) else 'question_' ~ word %}
    {% set name = start[:55 - end | length].strip('_') ~ end %}
    {{ return(name ~ end if name in taken else name) }}
{% endmacro %}

{#
    Ends dbt if a name is no column's name without quotes, or if two columns would have the same name. Databases differ:
    one takes "NPS" and "nps" for the same name, and another does not.
#}
{% macro survey_export_check_column_names(names, fixed_columns) %}
    {% set taken = {} %}
    {% for name in names %}
        {% set other = taken.get(name | lower) %}
        {% set problem = '' %}
        {% if not modules.re.fullmatch('[A-Za-z_][A-Za-z0-9_]*', name) %}
            {% set problem = ' "' ~ name ~ '". Choose a column_name of letters from a to z, digits and _ that does not begin with a digit.' %}
        {% elif name | lower in fixed_columns %}
            {% set problem = ' "' ~ name ~ '". survey_export__responses_wide has a column of that name already. Choose another column_name.' %}
        {% elif other %}
            {% set problem = 's "' ~ other ~ '" and "' ~ name ~ '", which differ by upper and lower case only. Write them in the same way if the questions share a column. Otherwise choose another column_name.' %}
        {% endif %}
        {% if problem %}
            {% do exceptions.raise_compiler_error('The seed question_labels has the column_name' ~ problem) %}
        {% endif %}
        {% do taken.update({name | lower: name}) %}
    {% endfor %}
{% endmacro %}

{# Whether the text of a column is one of these. They are compared by checksums, since no database may take one for SQL. #}
{% macro survey_export_is_one_of(column, texts) %}
    {% set checksums = ['null'] %}
    {% for text in ([texts] if texts is string or texts is number else texts) %}
        {% do checksums.append("'" ~ local_md5(text | string) ~ "'") %}
    {% endfor %}
    {{ return(dbt.hash(column) ~ ' in (' ~ checksums | join(', ') ~ ')') }}
{% endmacro %}

{# The value of such a column for one response. The checksum comes second, since PostgreSQL makes it anew for each comparison. #}
{% macro survey_export_question_value(column) -%}
    {%- set conditions = [] -%}
    {%- for question in column.questions -%}
        {%- do conditions.append(
            '(question_id = ' ~ question.question_id ~ " and survey_checksum = '" ~ local_md5(question.survey_id) ~ "')"
        ) -%}
    {%- endfor -%}
    {%- set condition = conditions | join(' or ') -%}
    {%- set kinds = column.kinds | unique | list -%}
    {%- if kinds == ['number'] -%}
        max(case when {{ condition }} then value_number end)
    {%- elif kinds == ['boolean'] -%}
        {{ dbt.bool_or('case when ' ~ condition ~ ' then value_boolean end') }}
    {%- else -%}
        {{ dbt.listagg('case when ' ~ condition ~ ' then value_text end', "'; '", 'order by question_id, position') }}
    {%- endif -%}
{%- endmacro %}
