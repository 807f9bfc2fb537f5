import type { DatabaseSync } from "node:sqlite";
import type { Answers, Measure } from "./measure.ts";
import type { Scope } from "./scope.ts";
import type { AnswerCount } from "./shown-answers.ts";

/** A row of the view `responses_by_survey`. */
export interface SurveyCounts {
  readonly survey_id: string;
  readonly survey_name: string | null;
  readonly responses: number;
  readonly responses_with_answers: number;
  readonly counted_by_service: number | null;
  readonly first_response_at: string | null;
  readonly last_response_at: string | null;
  readonly listed_at: string | null;
}

/** A row of the view `answer_counts`. */
export interface QuestionCount extends AnswerCount {
  readonly survey_id: string;
  readonly question_id: number;
  readonly question: string | null;
  readonly question_position: number | null;
  readonly kind: "choice" | "choices" | "rating" | "matrix" | "ranking" | "nps" | "text" | "form" | "comment";
  readonly item: string | null;
  readonly item_place: number | null;
  readonly answered: number;
}

/** A row of the view `texts`. */
export interface WrittenText {
  readonly survey_id: string;
  readonly question_id: number;
  readonly words: string;
  readonly collected_at: string;
  readonly nps_score: number | null;
}

/** A row of the table `_survey_export_syncs`. */
export interface SyncRow {
  readonly began_at: string;
  readonly ended_at: string | null;
  readonly outcome: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly lookback_seconds: number | null;
  /** JSON: the surveys that the configuration names, and those that it excludes. */
  readonly survey_ids?: string | null;
  readonly excluded_survey_ids?: string | null;
}

/** Everything that a page says. */
export interface Figures {
  /** The surveys of the scope, the largest first. */
  readonly surveys: readonly SurveyCounts[];
  /** The same surveys with all their responses, also those before the scope. */
  readonly arrived: readonly SurveyCounts[];
  /** How many ranges of time the state of a survey has: more than one until it was read whole, and none if nothing is there. */
  readonly ranges: ReadonlyMap<string, number>;
  /** The latest first. */
  readonly syncs: readonly SyncRow[];
  readonly measures: readonly Measure[];
  readonly counts: readonly QuestionCount[];
  /** The newest texts of each question; none unless the scope has texts. */
  readonly texts: readonly WrittenText[];
  /** By survey, the responses of each day. */
  readonly days: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Whether at least three respondents gave this answer to a question, or named its part so. */
  readonly isShared: (surveyId: string, questionId: number, words: string) => boolean;
}

/** At most so many texts are shown of a question. */
const MOST_TEXTS = 9;
/** Words that so many respondents share are nobody's own. */
const SHARED_BY = 3;

/** Words that personal data was hashed to are nothing to read. */
const IS_READABLE = "(length(words) <> 64 or words glob '*[^0-9a-f]*')";

/** Reads what the page says from the views. */
export function readFigures(database: DatabaseSync, scope: Scope): Figures {
  const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  const counts = all<QuestionCount>("select * from answer_counts");
  const texts = scope.hasTexts
    ? all<WrittenText>(
        `select survey_id, question_id, words, collected_at, nps_score
         from (
           select *, row_number() over (partition by survey_id, question_id order by collected_at desc) as age
           from (select *, max(collected_at) from texts where ${IS_READABLE} group by survey_id, question_id, words)
         )
         where age <= ${MOST_TEXTS}
         order by age`,
      )
    : [];
  const isInScope = ({ survey_id: id }: SurveyCounts): boolean =>
    scope.surveyIds.length === 0 || scope.surveyIds.includes(id);
  const surveys = surveysIn(database, "responses_by_survey");
  const isWhole = scope.since === undefined && scope.surveyIds.length === 0;
  return {
    surveys: surveys.filter(isInScope),
    arrived: isWhole ? surveys : surveysIn(database, "all_surveys").filter(isInScope),
    ranges: rangesIn(database),
    syncs: all<SyncRow>("select * from _survey_export_syncs order by rowid desc"),
    measures: measuresIn(database),
    counts,
    texts,
    days: daysIn(database),
    isShared: sharedWords(database, scope.hasTexts ? [] : counts),
  };
}

function surveysIn(database: DatabaseSync, name: "responses_by_survey" | "all_surveys"): SurveyCounts[] {
  const rows = database
    .prepare(`select * from ${name} order by responses desc, survey_name, survey_id`)
    .all();
  return rows.map((row) => ({ ...row, survey_id: row.survey_id ?? "" })) as unknown as SurveyCounts[];
}

/** Of a tampered timestamp, no month can be told. */
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

function measuresIn(database: DatabaseSync): Measure[] {
  const nps = `select 'nps' as kind, survey_id, question_id, question, month,
    answers, promoters as good, detractors as bad from nps_by_month`;
  const csat = `select 'csat' as kind, survey_id, question_id, question, month,
    answers, satisfied as good, 0 as bad from csat_by_month`;
  type Row = Answers &
    Pick<Measure, "kind" | "question"> &
    Readonly<Record<"survey_id" | "question_id" | "month", string>>;
  const rows = database.prepare(`${nps} union all ${csat} order by month`).all() as unknown as Row[];
  const ofMonths = rows.filter(({ month }) => MONTH.test(month));
  const questions = Map.groupBy(ofMonths, (row) =>
    JSON.stringify([row.kind, row.survey_id, row.question_id]),
  );
  return [...questions.values()].flatMap((of) => {
    const [first] = of;
    if (!first) return [];
    const { kind, survey_id: surveyId, question_id: questionId, question } = first;
    const months = new Map(of.map((row) => [row.month, row]));
    return [{ kind, surveyId: surveyId ?? "", questionId: String(questionId), question, months }];
  });
}

function daysIn(database: DatabaseSync): Map<string, Map<string, number>> {
  const days = new Map<string, Map<string, number>>();
  const rows = database.prepare("select survey_id, day, responses from responses_by_day order by day").all();
  for (const { survey_id, day, responses } of rows) {
    const survey = String(survey_id ?? "");
    if (!days.has(survey)) days.set(survey, new Map());
    days.get(survey)?.set(String(day), Number(responses));
  }
  return days;
}

function rangesIn(database: DatabaseSync): Map<string, number> {
  const rows = database
    .prepare(
      `select survey.key as id, json_array_length(survey.value) as ranges
       from _survey_export_state as states, json_each(states.state, '$.surveys') as survey
       where states.stream = 'survey_responses'`,
    )
    .all();
  return new Map(rows.map(({ id, ranges }) => [String(id), Number(ranges)]));
}

/**
 * Looks up whether three respondents share words that a survey does not list: answers, rows and items. Respondents count, and
 * not rows: one person may write the same into each row of a matrix.
 */
function sharedWords(database: DatabaseSync, counts: readonly QuestionCount[]): Figures["isShared"] {
  const keyOf = (survey: unknown, question: unknown, words: unknown) =>
    JSON.stringify([survey, question, words]);
  const candidates = counts.flatMap(
    ({ survey_id, question_id, answer, place, item, item_place, answered }) => {
      if (answered < SHARED_BY) return [];
      const unlisted = [place === null ? answer : null, item_place === null ? item : null];
      return unlisted
        .filter((words) => words !== null)
        .map((words) => [survey_id ?? "", question_id, words] as const);
    },
  );
  if (candidates.length === 0) return () => false;
  database.exec("create temp table unlisted (survey_id text, question_id integer, words text)");
  const insert = database.prepare("insert into unlisted values (?, ?, ?)");
  for (const candidate of candidates) insert.run(...candidate);
  database.exec("create index temp.unlisted_words on unlisted (words, question_id, survey_id)");
  const shared = database
    .prepare(
      `with said as (
         select coalesce(survey_id, '') as survey_id, question_id, respondent_uuid, value_text as words
         from survey_answers
         union all
         select coalesce(survey_id, '') as survey_id, question_id, respondent_uuid, label as words
         from survey_answers
       )
       select said.survey_id, said.question_id, said.words
       from said
       where exists (
         select 1 from unlisted
         where unlisted.words = said.words
           and unlisted.question_id = said.question_id
           and unlisted.survey_id = said.survey_id
       )
       group by said.survey_id, said.question_id, said.words
       having count(distinct said.respondent_uuid) >= ${SHARED_BY}`,
    )
    .all();
  const found = new Set(shared.map((row) => keyOf(row.survey_id, row.question_id, row.words)));
  return (survey, question, words) => found.has(keyOf(survey, question, words));
}
