{#
    Whether a text has more than white space and invisible characters: Unicode's White_Space and
    Default_Ignorable_Code_Point up to U+FFFF, the separators U+001C to U+001F, and the empty Braille pattern.
#}
{% macro survey_export_has_text(text) -%}
    {%- set ranges = [
        [0x9, 0xd], [0x1c, 0x1f], [0x85, 0x85], [0xa0, 0xa0], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160],
        [0x1680, 0x1680], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x206f],
        [0x2800, 0x2800], [0x3000, 0x3000], [0x3164, 0x3164], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0],
    ] -%}
    trim({{ text }}, chr(32)
    {%- for first, last in ranges %}{% for code in range(first, last + 1) %} || chr({{ code }}){% endfor %}{% endfor %}) <> ''
{%- endmacro %}
