import { describe, expect, it } from "vitest";
import { refused } from "../../../../../connector/core/client/request-errors.ts";
import { SurveyExportError } from "../../../../../connector/core/errors.ts";
import { outOfOrder, withoutId } from "../../../../../connector/core/lists/list-errors.ts";
import type {
  FailedLists,
  RespondentFacts,
  StreamFacts,
  SyncFacts,
} from "../../../../../connector/core/sync/failures/facts.ts";
import type { Note, Part, Problem } from "../../../../../connector/core/sync/failures/ledger.ts";
import { judge } from "../../../../../connector/core/sync/failures/verdicts.ts";
import { given, render, request, say } from "../../../../../connector/core/text/message.ts";
import { at } from "../../coverage/support/timestamps.ts";

/** What a request of `path` fails with, if the service answers so. */
const answering = (status: number, path: string): SurveyExportError =>
  refused({ status, headers: {}, body: "" }, request(path), 0);

/** A list of a survey, or that of all surveys, that failed. */
const failing =
  (part: Part, streams: readonly string[], pathOf: (id: string) => string) =>
  (status: number, surveyId?: string, more: Partial<Note> = {}): Note => ({
    part,
    surveyId,
    streams,
    error: answering(status, pathOf(surveyId ?? "")),
    ...more,
  });
const responses = failing("responses", ["survey_responses"], (id) => `/surveys/${id}/responses`);
const record = failing("record", ["surveys"], (id) => `/surveys/${id}`);
const questions = failing("questions", ["survey_questions"], (id) => `/surveys/${id}/questions`);
const list = failing("list of surveys", ["survey_responses", "surveys"], () => "/surveys");
const odd = (id: string): Problem => ({
  surveyId: id,
  streams: ["survey_responses"],
  error: outOfOrder(say`survey ${given(id)}`, at(1), at(2)),
});
const UNREADABLE = withoutId(say`questions of survey ${given("a")}`, say`a question`);
const TWELVE = [..."abcdefghijkl"];

const stream = (name: string, facts: Partial<StreamFacts> = {}): StreamFacts => ({
  name,
  isDone: true,
  hasState: false,
  items: 100,
  unreadable: undefined,
  ...facts,
});

const lists = (count: number, status: number): FailedLists => ({
  error: answering(status, "/respondents/p1/attributes"),
  count,
  respondents: Array.from({ length: Math.min(count, 5) }, (_, number) => `p${number + 1}`),
});

const LOST_MIDWAY = answering(404, "").restated("transient", say`It ended after a page.`, say`Wait.`);

/** Nobody was asked for; and what is different. */
const people = (facts: Partial<RespondentFacts>): RespondentFacts => ({
  good: 0,
  lagging: 0,
  gone: 0,
  failed: [],
  areNamed: false,
  skipped: 0,
  ...facts,
});

interface Situation extends Partial<Omit<SyncFacts, "areSurveysNamed" | "listed" | "found">> {
  /**
   * The ids of the surveys that the configuration names, if it names any, of those that are listed at the end, and of those of
   * which responses came: a letter is a survey.
   */
  readonly named?: string;
  readonly found?: string;
  readonly listed?: string;
}

/** A sync of the surveys a to e, in which nothing failed, and what is different: what it tells. */
function toldOf({ named = "", found = "", listed, ...others }: Situation): string[] {
  const { failures, warnings, gone, incomplete } = judge({
    end: undefined,
    notes: [],
    ownNotes: [],
    problems: [],
    streams: ["survey_responses", "surveys", "survey_questions"].map((name) => stream(name)),
    surveys: 5,
    areSurveysNamed: named !== "",
    found: new Set(found),
    listed: listed === undefined ? undefined : new Set(listed),
    allSurveys: undefined,
    ...others,
  });
  expect([...incomplete].sort()).toEqual([...new Set(failures.flatMap((each) => each.streams))].sort());
  for (const { error } of failures) expect(error.scope).toBe(error === others.end ? "run" : "list");
  return [
    ...failures.map(({ streams, error, surveyIds }) => {
      const ids = surveyIds.length > 0 ? ` (${surveyIds.join("")})` : "";
      return `${streams.join(", ")}: ${error.kind} ${error.code}${ids}: ${render(error.whole)}`;
    }),
    ...warnings.map(({ code, message }) => `warning ${code}: ${render(message)}`),
    ...(gone.length > 0 ? [`gone: ${gone.join("")}`] : []),
  ];
}

type Row = readonly [situation: string, facts: Situation, told: readonly string[]];
const rows = (all: readonly Row[]) =>
  it.each(all)("%s", (_, facts, told) => expect(toldOf(facts)).toEqual(told));

describe("a sync", () => {
  rows([["in which nothing failed tells nothing, and each stream is complete", {}, []]]);
});

describe("a survey that is not found", () => {
  rows([
    [
      "is an error if the configuration names it, even if it is not listed",
      { notes: [responses(404, "a")], named: "ab", listed: "bcde" },
      [
        'survey_responses: config not_found (a): Survey "a" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys.',
      ],
    ],
    [
      "is gone, in each stream, if nobody named it and it is not listed: one warning",
      { notes: [responses(404, "a"), record(404, "a"), questions(404, "a")], listed: "bcde" },
      [
        'warning surveys_not_found: This survey is gone: "a". The service answers 404, and its list of surveys, which was read after that, does not have it. What was delivered before stays. A survey that is listed again is read from its beginning. If nobody has deleted anything, check that the API key is of the same workspace as before.',
        "gone: a",
      ],
    ],
    [
      "is not gone if its responses came: its parts that fail are errors, whatever the list says",
      { notes: [record(404, "a"), questions(404, "a")], found: "a", listed: "bcde" },
      [
        'surveys: transient not_found (a): The stream surveys delivers nothing, since it lacks survey "a". The service found nothing at this address (status 404 to GET /surveys/a). The responses of this survey were read. Run the sync again. If this continues, ask the service. To sync without this survey, name it in excluded_survey_ids.',
        'survey_questions: transient not_found (a): The questions of survey "a" could not be read. The service found nothing at this address (status 404 to GET /surveys/a/questions). The responses of this survey were read. Run the sync again. If this continues, ask the service. To sync without this survey, name it in excluded_survey_ids. Or omit the stream survey_questions.',
      ],
    ],
    [
      "is not one that is named, and gives its responses",
      { notes: [record(404, "a"), record(404, "b")], found: "ab", named: "ab" },
      [
        'surveys: transient not_found (ab): The stream surveys delivers nothing, since it lacks 2 surveys ("a", "b"). The service found nothing at this address (status 404 to GET /surveys/a). The responses of these surveys were read. Run the sync again. If this continues, ask the service. To sync without these surveys, remove the ids from survey_ids.',
      ],
    ],
    [
      "is not one of which the responses came in part",
      { notes: [responses(404, "a", { below: at(5) }), record(404, "a")], found: "a", listed: "bcde" },
      [
        'survey_responses: transient not_found (a): Survey "a" could not be read below 2026-01-01T00:00:00.000005Z. The service found nothing at this address (status 404 to GET /surveys/a/responses). Everything newer was delivered. Run the sync again. If the service keeps no older responses, set start_date to a later time.',
        'surveys: transient not_found (a): The stream surveys delivers nothing, since it lacks survey "a". The service found nothing at this address (status 404 to GET /surveys/a). Run the sync again. If this continues, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "is not one of which a page came that shows nothing",
      { notes: [responses(404, "a")], found: "a" },
      [
        'survey_responses: transient not_found (a): Survey "a" could not be read. The service found nothing at this address (status 404 to GET /surveys/a/responses). Run the sync again. If this continues, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "is not gone if something of it failed otherwise",
      { notes: [responses(500, "a"), questions(404, "a")], listed: "bcde" },
      [
        'survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
        'survey_questions: transient not_found (a): The questions of survey "a" could not be read. The service found nothing at this address (status 404 to GET /surveys/a/questions). Run the sync again. If this continues, ask the service. To sync without this survey, name it in excluded_survey_ids. Or omit the stream survey_questions.',
      ],
    ],
    [
      "is told with others that are gone",
      { notes: [responses(404, "a"), responses(404, "b")], listed: "cde" },
      [
        'warning surveys_not_found: These surveys are gone: "a", "b". The service answers 404, and its list of surveys, which was read after that, does not have them. What was delivered before stays. A survey that is listed again is read from its beginning. If nobody has deleted anything, check that the API key is of the same workspace as before.',
        "gone: ab",
      ],
    ],
    [
      "is an error if it is listed",
      { notes: [responses(404, "a")], listed: "abcde" },
      [
        'survey_responses: transient not_found (a): Survey "a" was not found (status 404). The service lists it. Run the sync again. If this continues, ask the service; to sync without it, name it in excluded_survey_ids. This does not affect the other surveys.',
      ],
    ],
    [
      "is an error if nobody knows whether it is listed",
      { notes: [responses(404, "a")] },
      [
        'survey_responses: transient not_found (a): Survey "a" was not found (status 404). Whether the service still has it is not known, since another survey or the list of surveys could not be read after that. Run the sync again. If this continues, ask the service; to sync without it, name it in excluded_survey_ids. This does not affect the other surveys.',
      ],
    ],
    [
      "is an error if something of it came before",
      { notes: [responses(404, "a", { below: at(5) })], found: "a", listed: "bcde" },
      [
        'survey_responses: transient not_found (a): Survey "a" could not be read below 2026-01-01T00:00:00.000005Z. The service found nothing at this address (status 404 to GET /surveys/a/responses). Everything newer was delivered. Run the sync again. If the service keeps no older responses, set start_date to a later time.',
      ],
    ],
    [
      "is one error with another one",
      { notes: [responses(404, "a"), responses(404, "b")], named: "abcde" },
      [
        'survey_responses: config not_found (ab): 2 surveys were not found (status 404): "a", "b". Remove them from survey_ids or correct the ids. This does not affect the other surveys.',
      ],
    ],
    [
      "is one error, of all streams that lack something of it",
      {
        notes: [responses(404, "a"), record(404, "a"), questions(404, "a")],
        named: "a",
        surveys: 1,
      },
      [
        'survey_responses, surveys, survey_questions: config not_found (a): Survey "a" was not found (status 404). Remove it from survey_ids or correct the id.',
      ],
    ],
    [
      "is told with its id, if its name was written for it",
      {
        notes: [responses(404, "A nAme"), record(404, "A nAme")],
        named: "A nAme",
        allSurveys: new Map([
          ["a1", { name: "a name " }],
          ["b", { name: null }],
        ]),
      },
      [
        'survey_responses, surveys: config not_found (A nAme): Survey "A nAme" was not found (status 404). "A nAme" is the name of survey "a1". Write the id into survey_ids. This does not affect the other surveys.',
      ],
    ],
    [
      "is not there, if only its questions are read, and the list of surveys does not have it",
      { notes: [questions(404, "a")], named: "a", allSurveys: new Map([["b", { name: "B" }]]) },
      [
        'survey_questions: config not_found (a): Survey "a" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys.',
      ],
    ],
    [
      "is an error by its own address, if it is named",
      { notes: [record(404, "a")], named: "a" },
      [
        'surveys: config not_found (a): Survey "a" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys.',
      ],
    ],
    [
      "is an error if it is listed, next to one that is gone",
      { notes: [responses(404, "a"), responses(404, "b"), responses(404, "c")], listed: "bcde" },
      [
        'survey_responses: transient not_found (bc): 2 surveys were not found (status 404): "b", "c". The service lists them. Run the sync again. If this continues, ask the service; to sync without them, name them in excluded_survey_ids. This does not affect the other surveys.',
        'warning surveys_not_found: This survey is gone: "a". The service answers 404, and its list of surveys, which was read after that, does not have it. What was delivered before stays. A survey that is listed again is read from its beginning. If nobody has deleted anything, check that the API key is of the same workspace as before.',
        "gone: a",
      ],
    ],
    [
      "is to be read again if eleven others are not found either, and are listed",
      { notes: TWELVE.map((id) => responses(404, id)), listed: "abcdefghijkl" },
      [
        'survey_responses: transient not_found (abcdefghijkl): 12 surveys were not found (status 404): "a", "b", "c", "d", "e" and 7 more. The service lists them. Run the sync again; everything that was delivered is kept. If it continues, ask the service.',
      ],
    ],
  ]);
});

describe("the responses of a survey that fail", () => {
  rows([
    [
      "are an error that says excluded_survey_ids: 403",
      { notes: [responses(403, "a")] },
      [
        'survey_responses: config forbidden (a): Survey "a" could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/responses). Ask the service why it refuses this survey. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "are an error that says excluded_survey_ids: 400",
      { notes: [responses(400, "a")] },
      [
        'survey_responses: config rejected (a): Survey "a" could not be read. The service rejected the request (status 400 to GET /surveys/a/responses). Check the ids, dates and attribute names in the configuration. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "are an error that says excluded_survey_ids: 500",
      { notes: [responses(500, "a")] },
      [
        'survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "are an error that says survey_ids if it is named: 403",
      { notes: [responses(403, "a")], named: "a" },
      [
        'survey_responses: config forbidden (a): Survey "a" could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/responses). Ask the service why it refuses this survey. To sync without this survey, remove the id from survey_ids.',
      ],
    ],
    [
      "are an error that says survey_ids if it is named: 400",
      { notes: [responses(400, "a")], named: "a" },
      [
        'survey_responses: config rejected (a): Survey "a" could not be read. The service rejected the request (status 400 to GET /surveys/a/responses). Check the ids, dates and attribute names in the configuration. To sync without this survey, remove the id from survey_ids.',
      ],
    ],
    [
      "are an error that says survey_ids if it is named: 500",
      { notes: [responses(500, "a")], named: "a" },
      [
        'survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, remove the id from survey_ids.',
      ],
    ],
    [
      "because the key is refused are an error about the key",
      { notes: [responses(401, "a")] },
      [
        'survey_responses: config unauthorized (a): Survey "a" could not be read. The service does not accept the API key (status 401 to GET /surveys/a/responses). Copy the key again; it is shown in the service\'s web panel under Settings, Organization, Access Keys.',
      ],
    ],
    [
      "below a page say down to where they were read",
      { notes: [responses(500, "a", { below: at(5) })] },
      [
        'survey_responses: transient unavailable (a): Survey "a" could not be read below 2026-01-01T00:00:00.000005Z. The service could not answer (status 500 to GET /surveys/a/responses). Everything newer was delivered. Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "with another's are one error",
      { notes: [responses(500, "b", { below: at(5) }), responses(500, "a")] },
      [
        'survey_responses: transient unavailable (ba): 2 surveys could not be read, or not to their end: "b", "a". The first of them: The service could not answer (status 500 to GET /surveys/b/responses). Run the sync again; everything that was delivered is kept. If these surveys fail in each sync, ask the service. To sync without these surveys, name them in excluded_survey_ids.',
      ],
    ],
    [
      "with eleven others' are one error, which says to run the sync again",
      { notes: TWELVE.map((id) => responses(403, id)), named: "abcdefghijkl" },
      [
        'survey_responses: transient forbidden (abcdefghijkl): 12 surveys could not be read, or not to their end: "a", "b", "c", "d", "e" and 7 more. The first of them: The service refuses access with this API key (status 403 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If it continues, ask the service.',
      ],
    ],
    [
      "otherwise than another's are two errors",
      { notes: [responses(403, "a"), responses(500, "b")] },
      [
        'survey_responses: transient unavailable (b): Survey "b" could not be read. The service could not answer (status 500 to GET /surveys/b/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
        'survey_responses: config forbidden (a): Survey "a" could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/responses). Ask the service why it refuses this survey. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "next to the list of surveys, for the same reason, are an error of their own",
      { notes: [list(500), responses(500, "a")], streams: [stream("survey_responses")] },
      [
        "survey_responses: transient unavailable: The service could not answer (status 500 to GET /surveys). Run the sync again; everything that was delivered is kept. If it continues, ask the service.",
        'survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "are one error, of the streams that lack them and of no other",
      {
        notes: [responses(500, "a", { streams: ["survey_responses", "survey_answers"] })],
        streams: ["survey_answers", "surveys", "survey_responses"].map((name) => stream(name)),
      },
      [
        'survey_answers, survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
  ]);
});

describe("of what says what the surveys are,", () => {
  rows([
    [
      "the list of surveys that fails is one error, of each stream",
      { notes: [list(500)] },
      [
        "survey_responses, surveys: transient unavailable: The service could not answer (status 500 to GET /surveys). Run the sync again; everything that was delivered is kept. If it continues, ask the service.",
      ],
    ],
    [
      "a record that fails is an error",
      { notes: [record(500, "a")] },
      [
        'surveys: transient unavailable (a): The stream surveys delivers nothing, since it lacks survey "a". The service could not answer (status 500 to GET /surveys/a). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "records that fail are one error",
      { notes: [record(403, "a"), record(403, "b")], named: "ab" },
      [
        'surveys: config forbidden (ab): The stream surveys delivers nothing, since it lacks 2 surveys ("a", "b"). The service refuses access with this API key (status 403 to GET /surveys/a). Ask the service why it refuses these surveys. To sync without these surveys, remove the ids from survey_ids.',
      ],
    ],
    [
      "the questions of one survey that are refused are an error",
      { notes: [questions(403, "a")] },
      [
        'survey_questions: config forbidden (a): The questions of survey "a" could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/questions). Ask the service why it refuses this survey. To sync without this survey, name it in excluded_survey_ids. Or omit the stream survey_questions.',
      ],
    ],
    [
      "the questions of a named survey that are refused are an error",
      { notes: [questions(403, "a")], named: "a" },
      [
        'survey_questions: config forbidden (a): The questions of survey "a" could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/questions). Ask the service why it refuses this survey. To sync without this survey, remove the id from survey_ids. Or omit the stream survey_questions.',
      ],
    ],
    [
      "the questions of two surveys that fail are one error",
      { notes: [questions(500, "a"), questions(500, "b")] },
      [
        'survey_questions: transient unavailable (ab): The questions of 2 surveys ("a", "b") could not be read. The service could not answer (status 500 to GET /surveys/a/questions). Run the sync again; everything that was delivered is kept. If these surveys fail in each sync, ask the service. To sync without these surveys, name them in excluded_survey_ids. Or omit the stream survey_questions.',
      ],
    ],
    [
      "the questions of all surveys that are refused are an error, which says to omit the stream",
      { notes: [..."abcde"].map((id) => questions(403, id)) },
      [
        'survey_questions: config forbidden (abcde): The questions of 5 surveys ("a", "b", "c", "d", "e"), which is all of them, could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/questions). Omit the stream survey_questions if this continues.',
      ],
    ],
    [
      "the questions of all surveys that fail are an error, which says to run the sync again",
      { notes: TWELVE.map((id) => questions(500, id)), surveys: 12 },
      [
        'survey_questions: transient unavailable (abcdefghijkl): The questions of 12 surveys ("a", "b", "c", "d", "e" and 7 more), which is all of them, could not be read. The service could not answer (status 500 to GET /surveys/a/questions). Run the sync again; everything that was delivered is kept. If it continues, ask the service. Or omit the stream survey_questions.',
      ],
    ],
  ]);
});

describe("a list that contradicts itself", () => {
  rows([
    [
      "is an error",
      { problems: [odd("a")] },
      [
        'survey_responses: system broken_answer (a): The list of survey "a" is not sorted from newest to oldest: 2026-01-01T00:00:00.000002Z comes after 2026-01-01T00:00:00.000001Z. Everything on that page was delivered; the next sync reads the range between the two again. Report this to the service.',
      ],
    ],
    [
      "is one error with others that do so in the same way",
      { problems: [odd("a"), odd("b")] },
      [
        'survey_responses: system broken_answer (ab): The list of survey "a" is not sorted from newest to oldest: 2026-01-01T00:00:00.000002Z comes after 2026-01-01T00:00:00.000001Z. So do the lists of other surveys: "b". Everything on that page was delivered; the next sync reads the range between the two again. Report this to the service.',
      ],
    ],
    [
      "says nothing of a survey that is gone",
      { problems: [odd("a")], notes: [responses(404, "a")], listed: "b" },
      [
        'warning surveys_not_found: This survey is gone: "a". The service answers 404, and its list of surveys, which was read after that, does not have it. What was delivered before stays. A survey that is listed again is read from its beginning. If nobody has deleted anything, check that the API key is of the same workspace as before.',
        "gone: a",
      ],
    ],
  ]);
});

describe("an early end", () => {
  const end = new SurveyExportError("transient", "no_answer", say`The service is silent.`, { scope: "run" });
  rows([
    ["is no error of a stream for which everything was asked for", { end }, []],
    [
      "is an error of a stream that is not done",
      { end, streams: [stream("survey_responses", { isDone: false }), stream("surveys")] },
      ["survey_responses: transient no_answer: The service is silent."],
    ],
    [
      "is the error of a list that failed with nothing good after it",
      { end, notes: [responses(500, "a")] },
      ["survey_responses: transient no_answer: The service is silent."],
    ],
    [
      "does not hide what failed by itself before",
      {
        end,
        notes: [responses(500, "a"), responses(500, "b")],
        ownNotes: [responses(500, "a")],
        streams: [stream("survey_responses", { isDone: false })],
      },
      [
        "survey_responses: transient no_answer: The service is silent.",
        'survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "does not hide it in a stream for which everything was asked for either",
      { end, notes: [responses(500, "a")], ownNotes: [responses(500, "a")] },
      [
        "survey_responses: transient no_answer: The service is silent.",
        'survey_responses: transient unavailable (a): Survey "a" could not be read. The service could not answer (status 500 to GET /surveys/a/responses). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
      ],
    ],
    [
      "changes nothing for respondents who are gone, and for a few items that cannot be read",
      {
        end,
        streams: [
          stream("respondent_attributes", {
            unreadable: { count: 1, first: UNREADABLE },
            respondents: people({ good: 1, gone: 1 }),
          }),
        ],
      },
      [
        'warning items_omitted: Stream respondent_attributes: The list of questions of survey "a" holds a question without a usable id. What cannot be read was omitted, and the next sync tries again. Report this to the service.',
        "warning respondents_not_found: Stream respondent_attributes: 1 respondent was not found (status 404) when asked for twice. A respondent that is not found counts as deleted, and is asked for again after their next answer.",
      ],
    ],
    [
      "is the error of respondents that failed, and of those that the configuration names",
      {
        end,
        streams: [
          stream("respondent_attributes", { respondents: people({ failed: [lists(1, 500)] }) }),
          stream("respondent_responses", {
            respondents: people({ areNamed: true, failed: [lists(1, 404)] }),
          }),
        ],
      },
      ["respondent_attributes, respondent_responses: transient no_answer: The service is silent."],
    ],
  ]);
});

describe("items that cannot be read", () => {
  const of = (count: number, facts: Partial<StreamFacts>): Situation => ({
    streams: [stream("survey_questions", { unreadable: { count, first: UNREADABLE }, ...facts })],
  });
  rows([
    [
      "are a warning if one is, and others were read",
      of(1, {}),
      [
        'warning items_omitted: Stream survey_questions: The list of questions of survey "a" holds a question without a usable id. What cannot be read was omitted, and the next sync tries again. Report this to the service.',
      ],
    ],
    [
      "are a warning if nine are, and others were read",
      of(9, {}),
      [
        'warning items_omitted: Stream survey_questions: The list of questions of survey "a" holds a question without a usable id. 9 of 109 items of this stream cannot be read. What cannot be read was omitted, and the next sync tries again. Report this to the service.',
      ],
    ],
    [
      "are a warning if nine are, and an earlier sync has read others",
      of(9, { items: 0, hasState: true }),
      [
        'warning items_omitted: Stream survey_questions: The list of questions of survey "a" holds a question without a usable id. 9 of 9 items of this stream cannot be read. What cannot be read was omitted, and the next sync tries again. Report this to the service.',
      ],
    ],
    [
      "are an error if nine are, and nothing was ever read",
      of(9, { items: 0 }),
      [
        'survey_questions: system unreadable_item: The list of questions of survey "a" holds a question without a usable id. 9 of 9 items of this stream cannot be read. What cannot be read was omitted, and the next sync tries again. Report this to the service.',
      ],
    ],
    [
      "are an error if ten are, of however many",
      of(10, { items: 99_990, hasState: true }),
      [
        'survey_questions: system unreadable_item: The list of questions of survey "a" holds a question without a usable id. 10 of 100,000 items of this stream cannot be read. What cannot be read was omitted, and the next sync tries again. Report this to the service.',
      ],
    ],
  ]);
});

describe("respondents", () => {
  const of = (facts: Partial<RespondentFacts>, others: Partial<StreamFacts> = {}): Situation => ({
    streams: [stream("respondent_attributes", { respondents: people(facts), ...others })],
  });
  rows([
    ["whose lists were read are no news", of({ good: 100 }), []],
    ["whose lists are empty are no news", of({}), []],
    [
      "one of whom failed is a warning if others were read",
      of({ good: 1, failed: [lists(1, 500)] }),
      [
        'warning respondents_failed: Stream respondent_attributes: the list of 1 respondent ("p1") failed. The next sync asks again. The service could not answer (status 500 to GET /respondents/p1/attributes).',
      ],
    ],
    [
      "nine of whom failed are a warning if others were read",
      of({ good: 1, failed: [lists(9, 500)] }),
      [
        'warning respondents_failed: Stream respondent_attributes: the lists of 9 respondents ("p1", "p2", "p3", "p4", "p5" and 4 more) failed. The next sync asks again. The service could not answer (status 500 to GET /respondents/p1/attributes).',
      ],
    ],
    [
      "nine of whom failed are a warning if an earlier sync has read others",
      of({ failed: [lists(9, 403)] }, { hasState: true }),
      [
        'warning respondents_failed: Stream respondent_attributes: the lists of 9 respondents ("p1", "p2", "p3", "p4", "p5" and 4 more) failed. The next sync asks again. The service refuses access with this API key (status 403 to GET /respondents/p1/attributes).',
      ],
    ],
    [
      "nine of whom failed are an error if none was ever read",
      of({ failed: [lists(9, 500)] }),
      [
        'respondent_attributes: transient unavailable: The lists of 9 respondents ("p1", "p2", "p3", "p4", "p5" and 4 more) failed. The service could not answer (status 500 to GET /respondents/p1/attributes). The next sync asks again. If it continues, ask the service.',
      ],
    ],
    [
      "one of whom was refused is an error if none was ever read",
      of({ failed: [lists(1, 403)] }),
      [
        'respondent_attributes: config forbidden: The list of 1 respondent ("p1") failed. The service refuses access with this API key (status 403 to GET /respondents/p1/attributes). The next sync asks again. Check that the plan includes API access and that the key belongs to the right workspace (in the service\'s web panel under Settings, Organization, Access Keys).',
      ],
    ],
    [
      "ten of whom failed are an error",
      of({ good: 100, failed: [lists(10, 500)] }, { hasState: true }),
      [
        'respondent_attributes: transient unavailable: The lists of 10 respondents ("p1", "p2", "p3", "p4", "p5" and 5 more) failed. The service could not answer (status 500 to GET /respondents/p1/attributes). The next sync asks again. If it continues, ask the service.',
      ],
    ],
    [
      "ten of whom failed for two reasons are two errors",
      of({ good: 100, failed: [lists(6, 500), lists(4, 403)] }),
      [
        'respondent_attributes: transient unavailable: The lists of 6 respondents ("p1", "p2", "p3", "p4", "p5" and 1 more) failed. The service could not answer (status 500 to GET /respondents/p1/attributes). The next sync asks again. If it continues, ask the service.',
        'respondent_attributes: config forbidden: The lists of 4 respondents ("p1", "p2", "p3", "p4") failed. The service refuses access with this API key (status 403 to GET /respondents/p1/attributes). The next sync asks again. If it continues, ask the service.',
      ],
    ],
    [
      "nine of whom failed for two reasons are two warnings",
      of({ good: 100, failed: [lists(5, 500), lists(4, 403)] }),
      [
        'warning respondents_failed: Stream respondent_attributes: the lists of 5 respondents ("p1", "p2", "p3", "p4", "p5") failed. The next sync asks again. The service could not answer (status 500 to GET /respondents/p1/attributes).',
        'warning respondents_failed: Stream respondent_attributes: the lists of 4 respondents ("p1", "p2", "p3", "p4") failed. The next sync asks again. The service refuses access with this API key (status 403 to GET /respondents/p1/attributes).',
      ],
    ],
    [
      "who were given up are an error that says so",
      of({ failed: [lists(50, 403)], skipped: 9_950 }),
      [
        'respondent_attributes: config forbidden: The lists of 50 respondents ("p1", "p2", "p3", "p4", "p5" and 45 more) failed. None was read, so 9,950 other respondents were not asked for. The service refuses access with this API key (status 403 to GET /respondents/p1/attributes). The next sync asks again. Check that the plan includes API access and that the key belongs to the right workspace (in the service\'s web panel under Settings, Organization, Access Keys).',
      ],
    ],
    [
      "ten of whom were refused are an error, which says what to check",
      of({ good: 100, failed: [lists(10, 403)] }),
      [
        'respondent_attributes: config forbidden: The lists of 10 respondents ("p1", "p2", "p3", "p4", "p5" and 5 more) failed. The service refuses access with this API key (status 403 to GET /respondents/p1/attributes). The next sync asks again. Check that the plan includes API access and that the key belongs to the right workspace (in the service\'s web panel under Settings, Organization, Access Keys).',
      ],
    ],
    [
      "none of whom is found look like an outage",
      of({ failed: [lists(3, 404)] }),
      [
        'respondent_attributes: transient not_found: The lists of 3 respondents ("p1", "p2", "p3") failed. The service found nothing at this address (status 404 to GET /respondents/p1/attributes). This looks like an outage. The next sync asks again. If it continues, ask the service.',
      ],
    ],
    [
      "one of whom is gone is a warning",
      of({ good: 5, gone: 1 }),
      [
        "warning respondents_not_found: Stream respondent_attributes: 1 respondent was not found (status 404) when asked for twice. A respondent that is not found counts as deleted, and is asked for again after their next answer.",
      ],
    ],
    [
      "many of whom are gone are a warning",
      of({ good: 1, gone: 1234 }),
      [
        "warning respondents_not_found: Stream respondent_attributes: 1,234 respondents were not found (status 404) when asked for twice. A respondent that is not found counts as deleted, and is asked for again after their next answer.",
      ],
    ],
    [
      "nine of whom lag are a warning, whatever the others do",
      of({ good: 1, lagging: 9 }),
      [
        "warning respondents_failed: Stream respondent_attributes: the lists of 9 respondents lack a response that a survey shows. The next sync asks again.",
      ],
    ],
    [
      "ten of whom lag are a warning if as many were read well",
      of({ good: 10, lagging: 10 }),
      [
        "warning respondents_failed: Stream respondent_attributes: the lists of 10 respondents lack a response that a survey shows. The next sync asks again.",
      ],
    ],
    [
      "ten of whom lag are an error if fewer were read well",
      of({ good: 9, lagging: 10 }),
      [
        "respondent_attributes: transient unavailable: 10 of 19 lists of respondents lack the responses that the surveys show, which looks like an outage. The next sync asks again. If it continues, ask the service.",
      ],
    ],
    [
      "all of whom lag are an error if none was ever read",
      of({ lagging: 3 }),
      [
        "respondent_attributes: transient unavailable: 3 of 3 lists of respondents lack the responses that the surveys show, which looks like an outage. The next sync asks again. If it continues, ask the service.",
      ],
    ],
    [
      "all of whom lag are a warning if an earlier sync has read others",
      of({ lagging: 3 }, { hasState: true }),
      [
        "warning respondents_failed: Stream respondent_attributes: the lists of 3 respondents lack a response that a survey shows. The next sync asks again.",
      ],
    ],
    [
      "of the configuration who are not found are an error",
      of({ good: 100, areNamed: true, failed: [lists(1, 404)] }, { hasState: true }),
      [
        'respondent_attributes: config not_found: 1 respondent ("p1") was not found (status 404), and the configuration names them. Remove the id from respondent_uuids, or correct it.',
      ],
    ],
    [
      "of the configuration, two of whom are not found, are one error",
      of({ areNamed: true, failed: [lists(2, 404)] }),
      [
        'respondent_attributes: config not_found: 2 respondents ("p1", "p2") were not found (status 404), and the configuration names them. Remove the ids from respondent_uuids, or correct them.',
      ],
    ],
    [
      "of the configuration, one of whom was not found any more after some pages, may be found again",
      of({ good: 100, areNamed: true, failed: [{ ...lists(1, 404), error: LOST_MIDWAY }] }),
      [
        'respondent_attributes: transient not_found: The list of 1 respondent ("p1") failed. It ended after a page. The next sync asks again. If it continues, ask the service.',
      ],
    ],
    [
      "of the configuration, one of whom failed, are an error",
      of({ good: 100, areNamed: true, failed: [lists(1, 500)] }),
      [
        'respondent_attributes: transient unavailable: The list of 1 respondent ("p1") failed. The service could not answer (status 500 to GET /respondents/p1/attributes). The next sync asks again. If it continues, ask the service.',
      ],
    ],
    [
      "of the configuration, who were not asked for since all others failed, are told",
      of({ areNamed: true, failed: [lists(50, 500)], skipped: 10 }),
      [
        'respondent_attributes: transient unavailable: The lists of 50 respondents ("p1", "p2", "p3", "p4", "p5" and 45 more) failed. None was read, so 10 other respondents were not asked for. The service could not answer (status 500 to GET /respondents/p1/attributes). The next sync asks again. If it continues, ask the service.',
      ],
    ],
  ]);
});

describe("errors", () => {
  rows([
    [
      "that a later run may mend come first, and those that the user can mend last, whichever stream they are of",
      {
        notes: [questions(403, "a"), record(500, "c")],
        problems: [odd("b")],
        streams: ["survey_questions", "survey_responses", "surveys"].map((name) => stream(name)),
      },
      [
        'surveys: transient unavailable (c): The stream surveys delivers nothing, since it lacks survey "c". The service could not answer (status 500 to GET /surveys/c). Run the sync again; everything that was delivered is kept. If this survey fails in each sync, ask the service. To sync without this survey, name it in excluded_survey_ids.',
        'survey_responses: system broken_answer (b): The list of survey "b" is not sorted from newest to oldest: 2026-01-01T00:00:00.000002Z comes after 2026-01-01T00:00:00.000001Z. Everything on that page was delivered; the next sync reads the range between the two again. Report this to the service.',
        'survey_questions: config forbidden (a): The questions of survey "a" could not be read. The service refuses access with this API key (status 403 to GET /surveys/a/questions). Ask the service why it refuses this survey. To sync without this survey, name it in excluded_survey_ids. Or omit the stream survey_questions.',
      ],
    ],
  ]);
});
