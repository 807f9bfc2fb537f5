import { createClient } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { ListFailures } from "../../../../connector/core/sync/list-failures.ts";
import { Requests } from "../../../../connector/core/sync/requests.ts";
import { SurveyDirectory } from "../../../../connector/core/sync/survey-directory.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { createSimulatedClock } from "../../../support/clock.ts";
import { createListService, HEALTHY } from "../../../support/list-service.ts";
import { PLAIN } from "../../../support/sync-story.ts";

interface Options {
  /** How long each answer takes. */
  readonly latencyMs?: number;
  readonly statusOf?: (page: number) => number;
  /** Of each page, instead of its own. */
  readonly link?: string;
  /** What the stream of surveys reads of one. */
  readonly fields?: readonly string[];
}

/** The directory of a service with the surveys a to f, newest last, two a page. */
function directoryOf(named: string, given: Options = {}) {
  const { latencyMs = 1, statusOf = () => 200, link, fields } = given;
  const service = createListService(PLAIN, new Map());
  for (const id of "abcdef") service.setStatus(id, "listed");
  const clock = createSimulatedClock();
  const counts = { asked: 0 };
  const warned: unknown[] = [];
  const transport = async ({ url }: { readonly url: string }) => {
    const status = statusOf(counts.asked++);
    await clock.sleep(latencyMs);
    const answer = service.answer(url.slice("http://service.local/v2".length), HEALTHY);
    const body = link === undefined ? answer.body : answer.body.replace(/"\/surveys\?[^"]*"/, `"${link}"`);
    return { ...answer, status, body };
  };
  const host = { clock, log: () => {}, transport };
  const options = { clock, surveyIds: [...named], listed: new Map(), fields };
  const client = createClient(host, { baseUrl: "http://service.local/v2" });
  const failures = new ListFailures(client, () => {});
  const requests = new Requests(client, failures);
  const warnings = new Warnings((_, __, code) => warned.push(code));
  return {
    directory: new SurveyDirectory({ requests, warnings, ...options }),
    clock,
    counts,
    warned,
  };
}

describe("is read", () => {
  it.each([
    ["", 3, "fedcba"],
    ["f", 1, "fe"],
    ["fc", 2, "fedc"],
    ["fx", 3, "fedcba"],
  ])("for %j in %i requests, which find %s", async (named, requests, found) => {
    const { directory, counts } = directoryOf(named);
    await directory.read();
    expect([counts.asked, [...directory.found.keys()].join("")]).toEqual([requests, found]);
    expect([directory.error, directory.isMissing, directory.readAt]).toEqual([
      undefined,
      false,
      expect.any(String),
    ]);
  });

  it("once, however many ask at the same time", async () => {
    const { directory, counts } = directoryOf("fe");
    const found = await Promise.all(["f", "e", "f"].map((id) => directory.find(id)));
    await directory.read();
    expect([found.map((each) => each?.name), counts.asked]).toEqual([
      ["Survey f", "Survey e", "Survey f"],
      1,
    ]);
  });
});

it.each([
  ["fe", undefined],
  ["fx", "refused_link"],
])("a page that leads astray matters only if it lacks one of %j", async (named, code) => {
  const { directory } = directoryOf(named, { link: "/surveys/x" });
  await directory.read();
  expect(directory.error?.code).toBe(code);
});

it.each([
  ["from the start", 0, true],
  ["halfway", 1, false],
])("a list that is not found %s is missing: %j", async (_, from, isMissing) => {
  const { directory } = directoryOf("", { statusOf: (page) => (page >= from ? 404 : 200) });
  await directory.read();
  expect([directory.error?.code, directory.isMissing]).toEqual(["not_found", isMissing]);
});

it.each([
  ["", 8],
  ["a", 4],
])("a list that fails for %j is asked for %i times", async (named, attempts) => {
  const { directory, counts } = directoryOf(named, { statusOf: () => 500 });
  await directory.read();
  expect([directory.error?.code, counts.asked]).toEqual(["unavailable", attempts]);
});

it("a name that takes too long is missing, with one warning, and those after it are not waited for", async () => {
  const { directory, clock, warned } = directoryOf("fa", { latencyMs: 20_000 });
  const beganMs = clock.monotonicMs();
  const names = await Promise.all(["f", "a"].map(async (id) => (await directory.find(id))?.name));
  expect([names, clock.monotonicMs() - beganMs, warned]).toEqual([
    ["Survey f", undefined],
    30_000,
    ["names_missing"],
  ]);
  await directory.find("x");
  expect([clock.monotonicMs() - beganMs, warned.length]).toEqual([30_000, 1]);
});

it("a survey that a whole list does not have is no reason to warn", async () => {
  const { directory, warned } = directoryOf("fx");
  expect([await directory.find("x"), warned]).toEqual([undefined, []]);
});

it("a survey that is not listed has its own name if the stream of surveys asks for it, too", async () => {
  const { directory, counts } = directoryOf("fx", { fields: ["name"] });
  const names = await Promise.all(["x", "x"].map(async (id) => (await directory.find(id))?.name));
  const answer = await directory.askFor("x");
  expect([names, "page" in answer && answer.page.fields, counts.asked]).toEqual([
    ["Survey x", "Survey x"],
    { id: "x", name: "Survey x" },
    4,
  ]);
});
