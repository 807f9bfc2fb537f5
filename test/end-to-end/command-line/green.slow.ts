import { describe, expect } from "vitest";
import {
  expectAllInTheEnd,
  expectOneError,
  from,
  type Spell,
  sentences,
  surveysOf,
  testsAtOnce,
  to,
  Workspace,
} from "../../support/spell-service.ts";

/* As green.test.ts, of what a sync meets with patience: a request that fails is sent eight times, in a minute and a half. */

/** Ten times what they take. */
const TIMEOUT_MS = 2_500_000;
const test = testsAtOnce(TIMEOUT_MS);

const FAILED = { status: 500 };

describe("a long spell costs no row that a green sync claims:", () => {
  for (const [what, reply, seconds] of [
    ["everything is answered with 500", FAILED, 100],
    ["every connection is cut", "cut", 110],
  ] as const)
    test(`${what} for ${seconds} s, in the middle of 12 surveys`, async (open) => {
      const workspace = new Workspace(surveysOf(12, 30), from(5, reply, 1000 * seconds));
      await expectAllInTheEnd(await open(workspace, ["survey_responses", "response_keys"]));
    });

  test("the questions of 10 surveys are answered with 500 for 30 s", async (open) => {
    const spell: Spell = (path, _, ms) => (path.includes("/questions") && ms < 30_000 ? FAILED : undefined);
    const streams = ["survey_responses", "response_keys", "survey_questions"] as const;
    await expectAllInTheEnd(await open(new Workspace(surveysOf(10, 30), spell), streams));
  });

  for (const seconds of [1, 8])
    test(`every respondent's list answers 404 for ${seconds} s, in the middle of 900`, async (open) => {
      const spell: Spell = (path, number, ms) =>
        path.startsWith("/respondents/") && number > 450 && ms < 1000 * seconds ? { status: 404 } : undefined;
      const streams = ["survey_responses", "response_keys", "respondent_attributes"] as const;
      await expectAllInTheEnd(await open(new Workspace(surveysOf(9, 100), spell), streams));
    });
});

describe("what never ends well ends red:", () => {
  test("everything is answered with 500 from the middle of 8 surveys on, in one sentence", async (open) =>
    expectOneError(await open(new Workspace(surveysOf(8, 30), from(7, FAILED))), /usable answer/));

  test("the connection of two of twelve surveys is always cut: both are named, all others are there", async (open) => {
    const spell: Spell = (path) => (/\/survey-10[37]\//.test(path) ? "cut" : undefined);
    const { workspace, sync, missing } = await open(new Workspace(surveysOf(12, 30), spell));
    const ended = await sync();
    expect(ended.code).toBe(1);
    for (const id of ["survey-103", "survey-107"]) expect(sentences(ended).join("\n")).toContain(id);
    const cut = workspace.surveys.filter(({ id }) => ["survey-103", "survey-107"].includes(id));
    expect(missing()).toEqual(workspace.due("survey_responses", cut));
  });

  test("one listed survey is always answered with 500: it is named, all others are there, until it is excluded", async (open) => {
    const syncs = await open(new Workspace(surveysOf(4, 30), to("/survey-102/", FAILED)));
    const { workspace, sync, missing } = syncs;
    await expectOneError(syncs, /survey-102.*excluded_survey_ids/);
    const failed = workspace.surveys.filter(({ id }) => id === "survey-102");
    expect(missing()).toEqual(workspace.due("survey_responses", failed));
    expect((await sync({ excluded_survey_ids: ["survey-102"] })).code).toBe(0);
  });
});
