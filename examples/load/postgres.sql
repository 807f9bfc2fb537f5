-- Loads what sync wrote into Postgres, without a platform and without duplicates. In the folder of the sync:
--
--   psql "postgresql://…" -f …/examples/load/postgres.sql
--
-- Each table holds the newest record of each primary key. A load reads the messages that no load before it read, and
-- stores all of them or nothing. Load one folder into a schema: it knows the files by their names. Delete only
-- messages that were loaded.
--
-- To load all messages again, for example into a table that you emptied: delete from _survey_export_loaded
\set ON_ERROR_STOP on
\set QUIET on
begin;
set local client_min_messages = warning;

create table if not exists survey_responses (
  uuid text primary key, collected_at timestamptz, survey_id text, survey_name text, survey_type text,
  respondent_uuid text, url text, device_type text, operating_system text, platform text,
  language text, answers jsonb, attributes jsonb, respondent_attributes jsonb, additional_fields jsonb
);
create table if not exists respondent_responses (like survey_responses including all);
create table if not exists respondent_attributes (
  respondent_uuid text, id bigint, name text, value text, collected_at timestamptz, additional_fields jsonb,
  primary key (respondent_uuid, id)
);
create table if not exists survey_answers (
  response_uuid text, collected_at timestamptz, survey_id text, survey_name text, respondent_uuid text,
  question_id bigint, question_type text, position bigint, answer_type text, answer_id bigint, label text,
  value_text text, value_number double precision, value_boolean boolean, comment text, nps_tag text,
  additional_fields jsonb, primary key (response_uuid, question_id, position)
);
create table if not exists surveys (
  id text primary key, name text, type text, created_at timestamptz, enabled boolean, responses bigint,
  launch jsonb, collected_at timestamptz, additional_fields jsonb
);
create table if not exists survey_questions (
  survey_id text, id bigint, type text, question text, introduction text, answer_choices jsonb,
  columns jsonb, fields jsonb, position bigint, collected_at timestamptz, additional_fields jsonb,
  primary key (survey_id, id)
);

create table if not exists _survey_export_loaded (file text primary key, loaded_at timestamptz not null);
lock table _survey_export_loaded in exclusive mode; -- another load waits, and then finds these files loaded

-- One line a row: JSON and names of files hold neither of the two control characters.
create temp table file (name text collate "C") on commit drop;
\copy file from program 'ls messages' with (format csv, delimiter e'\x01', quote e'\x02')
delete from file where name not like '%.jsonl';

-- A file's name is the time of its run, and one run follows the other: the later file has the newer record. If a file
-- comes late, from a backup for example, those after it are read again. Bring them back too. "~" is after all files.
select coalesce(min(name), '~') as first_file from file
where not exists (select from _survey_export_loaded where file = name) \gset
\setenv FIRST_FILE :first_file
create temp table line (message jsonb) on commit drop;
\copy line from program 'cd ./messages && export LC_ALL=C && for file in *.jsonl; do [ "$file" "<" "$FIRST_FILE" ] || grep -a "^.\"type\":\"RECORD\"" "$file" || [ $? = 1 ] || exit; done' with (format csv, delimiter e'\x01', quote e'\x02')
insert into _survey_export_loaded select name, now() from file where name >= :'first_file'
on conflict (file) do update set loaded_at = excluded.loaded_at;

create temp table message on commit drop as
select message->'record'->>'stream' as stream, message->'record'->'data' as data,
  (message->'record'->>'emitted_at')::bigint as emitted_at
from line;

insert into survey_responses
select distinct on (uuid) record.*
from message, jsonb_populate_record(null::survey_responses, data) as record
where stream = 'survey_responses'
order by uuid, emitted_at desc
on conflict (uuid) do update set (
  collected_at, survey_id, survey_name, survey_type, respondent_uuid, url, device_type, operating_system, platform,
  language, answers, attributes, respondent_attributes, additional_fields
) = row (
  excluded.collected_at, excluded.survey_id, excluded.survey_name, excluded.survey_type, excluded.respondent_uuid,
  excluded.url, excluded.device_type, excluded.operating_system, excluded.platform, excluded.language,
  excluded.answers, excluded.attributes, excluded.respondent_attributes, excluded.additional_fields
);

insert into respondent_responses
select distinct on (uuid) record.*
from message, jsonb_populate_record(null::respondent_responses, data) as record
where stream = 'respondent_responses'
order by uuid, emitted_at desc
on conflict (uuid) do update set (
  collected_at, survey_id, survey_name, survey_type, respondent_uuid, url, device_type, operating_system, platform,
  language, answers, attributes, respondent_attributes, additional_fields
) = row (
  excluded.collected_at, excluded.survey_id, excluded.survey_name, excluded.survey_type, excluded.respondent_uuid,
  excluded.url, excluded.device_type, excluded.operating_system, excluded.platform, excluded.language,
  excluded.answers, excluded.attributes, excluded.respondent_attributes, excluded.additional_fields
);

insert into respondent_attributes
select distinct on (respondent_uuid, id) record.*
from message, jsonb_populate_record(null::respondent_attributes, data) as record
where stream = 'respondent_attributes'
order by respondent_uuid, id, emitted_at desc
on conflict (respondent_uuid, id) do update set (name, value, collected_at, additional_fields) = row (
  excluded.name, excluded.value, excluded.collected_at, excluded.additional_fields
);

insert into survey_answers
select distinct on (response_uuid, question_id, position) record.*
from message, jsonb_populate_record(null::survey_answers, data) as record
where stream = 'survey_answers'
order by response_uuid, question_id, position, emitted_at desc
on conflict (response_uuid, question_id, position) do update set (
  collected_at, survey_id, survey_name, respondent_uuid, question_type, answer_type, answer_id, label, value_text,
  value_number, value_boolean, comment, nps_tag, additional_fields
) = row (
  excluded.collected_at, excluded.survey_id, excluded.survey_name, excluded.respondent_uuid, excluded.question_type,
  excluded.answer_type, excluded.answer_id, excluded.label, excluded.value_text, excluded.value_number,
  excluded.value_boolean, excluded.comment, excluded.nps_tag, excluded.additional_fields
);

insert into surveys
select distinct on (id) record.*
from message, jsonb_populate_record(null::surveys, data) as record
where stream = 'surveys'
order by id, emitted_at desc
on conflict (id) do update set (
  name, type, created_at, enabled, responses, launch, collected_at, additional_fields
) = row (
  excluded.name, excluded.type, excluded.created_at, excluded.enabled, excluded.responses, excluded.launch,
  excluded.collected_at, excluded.additional_fields
);

insert into survey_questions
select distinct on (survey_id, id) record.*
from message, jsonb_populate_record(null::survey_questions, data) as record
where stream = 'survey_questions'
order by survey_id, id, emitted_at desc
on conflict (survey_id, id) do update set (
  type, question, introduction, answer_choices, columns, fields, position, collected_at, additional_fields
) = row (
  excluded.type, excluded.question, excluded.introduction, excluded.answer_choices, excluded.columns,
  excluded.fields, excluded.position, excluded.collected_at, excluded.additional_fields
);

commit;
