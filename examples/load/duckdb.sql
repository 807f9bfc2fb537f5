-- Loads what sync wrote into DuckDB, without a platform and without duplicates. In the folder of the sync:
--
--   duckdb surveys.duckdb < …/examples/load/duckdb.sql
--
-- Each table holds the newest record of each primary key. A load reads the messages that no load before it read, and
-- stores all of them or nothing. Load one folder into a database: it knows the files by their names. Delete only
-- messages that were loaded. `pip install duckdb-cli` installs the program.
--
-- To load all messages again, for example into a table that you emptied: delete from _survey_export_loaded
.bail on
begin;

create table if not exists survey_responses (
  uuid varchar primary key, collected_at timestamptz, survey_id varchar, survey_name varchar, survey_type varchar,
  respondent_uuid varchar, url varchar, device_type varchar, operating_system varchar, platform varchar,
  language varchar, answers json, attributes json, respondent_attributes json, additional_fields json
);
create table if not exists respondent_responses (
  uuid varchar primary key, collected_at timestamptz, survey_id varchar, survey_name varchar, survey_type varchar,
  respondent_uuid varchar, url varchar, device_type varchar, operating_system varchar, platform varchar,
  language varchar, answers json, attributes json, respondent_attributes json, additional_fields json
);
create table if not exists respondent_attributes (
  respondent_uuid varchar, id bigint, name varchar, value varchar, collected_at timestamptz, additional_fields json,
  primary key (respondent_uuid, id)
);
create table if not exists survey_answers (
  response_uuid varchar, collected_at timestamptz, survey_id varchar, survey_name varchar, respondent_uuid varchar,
  question_id bigint, question_type varchar, position bigint, answer_type varchar, answer_id bigint, label varchar,
  value_text varchar, value_number double, value_boolean boolean, comment varchar, nps_tag varchar,
  additional_fields json, primary key (response_uuid, question_id, position)
);
create table if not exists surveys (
  id varchar primary key, name varchar, "type" varchar, created_at timestamptz, enabled boolean, responses bigint,
  launch json, collected_at timestamptz, additional_fields json
);
create table if not exists survey_questions (
  survey_id varchar, id bigint, "type" varchar, question varchar, introduction varchar, answer_choices json,
  "columns" json, fields json, "position" bigint, collected_at timestamptz, additional_fields json,
  primary key (survey_id, id)
);

create table if not exists _survey_export_loaded (file varchar primary key, loaded_at timestamptz not null);

set variable refused = (
  select error('Neither messages/ nor state.jsonl is here. Load in the folder of a sync.')
  where not exists (from glob('messages/*')) and not exists (from glob('state.jsonl'))
);

-- A file's name is the time of its run, and one run follows the other: the later file has the newer record. If a file
-- comes late, from a backup for example, those after it are read again. Bring them back too.
set variable files = (
  select coalesce(list(file), []) from glob('messages/*.jsonl') where file >= (
    select min(file) from glob('messages/*.jsonl')
    where parse_filename(file) not in (select file from _survey_export_loaded)
  )
);

-- DuckDB refuses to read no files.
create temp table message as
select record.stream, record.data, record.emitted_at
from query(if(len(getvariable('files')) = 0, 'select null as type, null as record', $$
  from read_json(getvariable('files'), format = 'newline_delimited', maximum_object_size = 67108864, columns = {
    type: 'varchar', record: 'struct(stream varchar, data json, emitted_at bigint)'
  })
$$))
where type = 'RECORD';

create temp macro response(data) as from_json(data, '{
  "uuid": "varchar", "collected_at": "timestamptz", "survey_id": "varchar", "survey_name": "varchar",
  "survey_type": "varchar", "respondent_uuid": "varchar", "url": "varchar", "device_type": "varchar",
  "operating_system": "varchar", "platform": "varchar", "language": "varchar", "answers": "json",
  "attributes": "json", "respondent_attributes": "json", "additional_fields": "json"
}');

insert or replace into survey_responses
select unnest(response(data)) from message where stream = 'survey_responses'
qualify row_number() over (partition by data->>'uuid' order by emitted_at desc) = 1;

insert or replace into respondent_responses
select unnest(response(data)) from message where stream = 'respondent_responses'
qualify row_number() over (partition by data->>'uuid' order by emitted_at desc) = 1;

insert or replace into respondent_attributes
select unnest(from_json(data, '{
  "respondent_uuid": "varchar", "id": "bigint", "name": "varchar", "value": "varchar", "collected_at": "timestamptz",
  "additional_fields": "json"
}'))
from message where stream = 'respondent_attributes'
qualify row_number() over (partition by data->>'respondent_uuid', data->>'id' order by emitted_at desc) = 1;

insert or replace into survey_answers
select unnest(from_json(data, '{
  "response_uuid": "varchar", "collected_at": "timestamptz", "survey_id": "varchar", "survey_name": "varchar",
  "respondent_uuid": "varchar", "question_id": "bigint", "question_type": "varchar", "position": "bigint",
  "answer_type": "varchar", "answer_id": "bigint", "label": "varchar", "value_text": "varchar",
  "value_number": "double", "value_boolean": "boolean", "comment": "varchar", "nps_tag": "varchar",
  "additional_fields": "json"
}'))
from message where stream = 'survey_answers'
qualify row_number() over (
  partition by data->>'response_uuid', data->>'question_id', data->>'position' order by emitted_at desc
) = 1;

insert or replace into surveys
select unnest(from_json(data, '{
  "id": "varchar", "name": "varchar", "type": "varchar", "created_at": "timestamptz", "enabled": "boolean",
  "responses": "bigint", "launch": "json", "collected_at": "timestamptz", "additional_fields": "json"
}'))
from message where stream = 'surveys'
qualify row_number() over (partition by data->>'id' order by emitted_at desc) = 1;

insert or replace into survey_questions
select unnest(from_json(data, '{
  "survey_id": "varchar", "id": "bigint", "type": "varchar", "question": "varchar", "introduction": "varchar",
  "answer_choices": "json", "columns": "json", "fields": "json", "position": "bigint",
  "collected_at": "timestamptz", "additional_fields": "json"
}'))
from message where stream = 'survey_questions'
qualify row_number() over (partition by data->>'survey_id', data->>'id' order by emitted_at desc) = 1;

insert or replace into _survey_export_loaded select parse_filename(file), now() from (select unnest(getvariable('files')) as file);

commit;
