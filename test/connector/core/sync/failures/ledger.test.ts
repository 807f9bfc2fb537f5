import { describe, expect, it } from "vitest";
import { refused } from "../../../../../connector/core/client/request-errors.ts";
import { SurveyExportError } from "../../../../../connector/core/errors.ts";
import { outOfOrder } from "../../../../../connector/core/lists/list-errors.ts";
import { Ledger, type Note } from "../../../../../connector/core/sync/failures/ledger.ts";
import { render, request, say } from "../../../../../connector/core/text/message.ts";
import { createSimulatedClock } from "../../../../support/clock.ts";
import { at } from "../../coverage/support/timestamps.ts";

const answering = (status: number, path = "/surveys/a/responses"): SurveyExportError =>
  refused({ status, headers: {}, body: "" }, request(path), 0);

const noteOf = (surveyId: string, status: number): Note => ({
  part: "responses",
  surveyId,
  streams: ["survey_responses"],
  error: answering(status),
});

/** A ledger, with what it tells: the log, the failures of lists, and how often it has ended the sync. */
function ledgerOf(asksAgain = true) {
  const [lines, failed, ends]: [string[], unknown[], SurveyExportError[]] = [[], [], []];
  const clock = createSimulatedClock();
  const log = (level: string, message: Parameters<typeof render>[0]) =>
    void lines.push(`${level} ${render(message)}`);
  const ledger: Ledger = new Ledger(clock, log, asksAgain, {
    onFailed: (error, surveyId) => void failed.push([error.code, surveyId]),
    onEnd: () => void ends.push(ledger.end!),
  });
  return { ledger, clock, lines, failed, ends };
}

describe("a list that failed", () => {
  it("is noted until it succeeds; what it fails with later replaces what it failed with before", () => {
    const { ledger, failed } = ledgerOf();
    const again = { ...noteOf("a", 403), below: at(5) };
    ledger.note(noteOf("a", 500));
    ledger.note(noteOf("b", 500));
    ledger.note(again);
    expect(failed).toEqual([
      ["unavailable", "a"],
      ["unavailable", "b"],
      ["forbidden", "a"],
    ]);
    expect(ledger.notes.map(({ surveyId }) => surveyId)).toEqual(["a", "b"]);
    expect(ledger.noteOf("responses", "a")).toBe(again);
    ledger.succeeded("questions", "a");
    ledger.succeeded("responses", "b");
    expect(ledger.notes).toEqual([again]);
  });

  it("is lacking in its streams, as is one that contradicts itself, which is told once", () => {
    const { ledger } = ledgerOf();
    const error = outOfOrder(say`x`, at(1), at(2));
    const problems = [1, 2].map(() => ({ surveyId: "b", streams: ["response_keys"], error }));
    ledger.note(noteOf("a", 500));
    for (const problem of problems) ledger.problem(problem);
    const lacking = ["a", "b"].flatMap((id) =>
      ["survey_responses", "response_keys"].map((stream) => ledger.lacks(stream, id)),
    );
    expect(lacking).toEqual([true, false, false, true]);
    expect(ledger.problems).toHaveLength(1);
    expect(ledger.problems[0]).toBe(problems[0]);
  });

  it("failed by itself if a page came from anywhere since", () => {
    const { ledger } = ledgerOf();
    ledger.note(noteOf("a", 500));
    ledger.note(noteOf("b", 500));
    ledger.pageCame();
    ledger.note(noteOf("b", 500));
    ledger.note(noteOf("c", 500));
    expect(ledger.ownNotes.map(({ surveyId }) => surveyId)).toEqual(["a"]);
  });

  it("is told once for each reason, while the sync reads, if it is asked for again", () => {
    const { ledger, lines } = ledgerOf();
    ledger.note(noteOf("a", 500));
    ledger.note(noteOf("b", 500));
    ledger.failed(answering(500, "/respondents/p/attributes"));
    ledger.note(noteOf("c", 502));
    expect(lines).toEqual(
      [500, 502].map(
        (status) =>
          `info The service could not answer (status ${status} to GET /surveys/a/responses). What fails in this way is asked for once more at the end of the sync.`,
      ),
    );
    expect(ledger.errors.map(({ status }) => status)).toEqual([500, 502]);
    const other = ledgerOf(false);
    other.ledger.note(noteOf("a", 500));
    expect(other.lines).toEqual([]);
  });

  it.each([
    [0, []],
    [1, ["info 1 list that had failed was read when asked for once more."]],
    [1200, ["info 1,200 lists that had failed were read when asked for once more."]],
  ])("is told to be read after all, with all others of these: %i", (count, told) => {
    const { ledger, lines } = ledgerOf();
    for (let number = 0; number < count; number++) ledger.recovered();
    ledger.tellRecovered();
    expect(lines).toEqual(told);
  });

  it("counts as read after all only if it had failed", () => {
    const { ledger, lines } = ledgerOf();
    ledger.note(noteOf("a", 429));
    ledger.succeeded("responses", "a");
    ledger.succeeded("responses", "b");
    ledger.tellRecovered();
    expect(lines).toEqual([expect.stringMatching(/^info 1 list /)]);
  });
});

it.each([
  ["something failed", 500, true],
  ["a survey was not found", 404, true],
  ["the key was refused once", 401, true],
  ["a list was asked to wait for too long", 429, false],
  ["a list was asked to wait for too long", 503, false],
])("if %s (%i), a second look is due: %s", async (_, status, isDue) => {
  const { ledger, clock } = ledgerOf();
  await clock.sleep(7);
  const failures = isDue ? { count: 1, lastMs: clock.monotonicMs() } : { count: 0, lastMs: 0 };
  ledger.note({ ...noteOf("a", status), error: answering(status).ofList() });
  expect(ledger).toMatchObject({ isSecondLookDue: isDue, failures });
});

it("no second look is due before something failed, after an early end, for what no request can ask for, or if the caller tries again", () => {
  const { ledger } = ledgerOf();
  expect(ledger.isSecondLookDue).toBe(false);
  ledger.note(noteOf("a", 500));
  ledger.endWith(answering(401));
  expect(ledger.isSecondLookDue).toBe(false);
  const misnamed = ledgerOf().ledger;
  misnamed.failed(new SurveyExportError("config", "invalid_configuration", say`No path holds this id.`));
  expect(misnamed.isSecondLookDue).toBe(false);
  const other = ledgerOf(false).ledger;
  other.note(noteOf("a", 500));
  expect(other.isSecondLookDue).toBe(false);
});

it("nothing was answered if no page came since the first failure", () => {
  const { ledger } = ledgerOf();
  const isUnanswered = [ledger.isUnanswered];
  const then = (step: () => void) => {
    step();
    isUnanswered.push(ledger.isUnanswered);
  };
  then(() => ledger.pageCame());
  then(() => ledger.note(noteOf("a", 500)));
  then(() => ledger.failed(answering(500)));
  then(() => ledger.pageCame());
  then(() => ledger.note(noteOf("b", 500)));
  expect(isUnanswered).toEqual([false, false, true, true, false, false]);
});

describe("a sync ends", () => {
  it("when the key is refused for five lists in a row, and no page came between", () => {
    const { ledger, ends } = ledgerOf();
    const refuse = (times: number) => {
      for (let list = 0; list < times; list++) ledger.note(noteOf(`${list}`, 401));
    };
    refuse(4);
    ledger.pageCame();
    refuse(4);
    expect(ends).toEqual([]);
    refuse(1);
    expect(ends.map(({ code }) => code)).toEqual(["unauthorized"]);
  });

  it.each([429, 503])(
    "at once when the service only asks to wait (%i), and for the first reason",
    (status) => {
      const { ledger, ends } = ledgerOf();
      ledger.failed(answering(status));
      ledger.failed(answering(503));
      expect(ends.map((error) => error.status)).toEqual([status]);
      expect(ledger.end?.scope).toBe("run");
    },
  );

  it.each([403, 404, 500])("not when lists fail by themselves (%i), however many", (status) => {
    const { ledger, ends } = ledgerOf();
    for (let list = 0; list < 100; list++) ledger.note(noteOf(`${list}`, status));
    expect(ends).toEqual([]);
  });
});
