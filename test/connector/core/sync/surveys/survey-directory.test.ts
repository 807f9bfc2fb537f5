import { createClient } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../../connector/core/sync/failures/ledger.ts";
import { Silence } from "../../../../../connector/core/sync/failures/silence.ts";
import { Requests } from "../../../../../connector/core/sync/requests.ts";
import { SurveyDirectory } from "../../../../../connector/core/sync/surveys/survey-directory.ts";
import { Warnings } from "../../../../../connector/core/sync/warnings.ts";
import { createSimulatedClock } from "../../../../support/clock.ts";
import { createListService, HEALTHY } from "../../../../support/list-service.ts";
import { PLAIN } from "../../../../support/sync-story.ts";

interface Options {
  /** How long each answer takes. */
  readonly latencyMs?: number;
  readonly statusOf?: (page: number) => number;
  /** Of each page, instead of its own. */
  readonly link?: string;
  /** The survey whose record has no id. */
  readonly hides?: string;
  /** What the stream of surveys reads of one. */
  readonly fields?: readonly string[];
}

/** The directory of a service with the surveys a to f, newest last, two a page. */
function directoryOf(named: string, given: Options = {}) {
  const { latencyMs = 1, statusOf = () => 200, link, hides, fields } = given;
  const service = createListService(PLAIN, new Map());
  for (const id of "abcdef") service.setStatus(id, "listed");
  const clock = createSimulatedClock();
  const counts = { asked: 0 };
  const warned: unknown[] = [];
  const transport = async ({ url }: { readonly url: string }) => {
    const status = statusOf(counts.asked++);
    await clock.sleep(latencyMs);
    const answer = service.answer(url.slice("http://service.local/v2".length), HEALTHY);
    const linked = link === undefined ? answer.body : answer.body.replace(/"\/surveys\?[^"]*"/, `"${link}"`);
    const body = linked.replace(`"id":"${hides}"`, '"id":null');
    return { ...answer, status, body };
  };
  const host = { clock, log: () => {}, transport };
  const options = { clock, surveyIds: [...named], listed: new Map(), fields };
  const client = createClient(host, { baseUrl: "http://service.local/v2" });
  const ledger = new Ledger(clock, host.log, true, { onFailed: () => {}, onEnd: () => {} });
  const requests = new Requests(client, ledger, new Silence(client));
  const warnings = new Warnings((_, __, code) => warned.push(code));
  return {
    directory: new SurveyDirectory({ requests, warnings, ...options }),
    service,
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

describe("the second look", () => {
  it("reads the list from its beginning, with two attempts, under a time of its own", async () => {
    const { directory, clock, counts } = directoryOf("", {
      statusOf: (page) => (page > 0 && page < 9 ? 500 : 200),
    });
    await directory.read();
    const { readAt } = directory;
    expect([directory.error?.code, counts.asked, [...directory.found.keys()].join("")]).toEqual([
      "unavailable",
      9,
      "fe",
    ]);
    await clock.sleep(10_000);
    await directory.readAgain();
    expect([directory.error, counts.asked, [...directory.found.keys()].join("")]).toEqual([
      undefined,
      12,
      "fedcba",
    ]);
    expect(directory.readAt! > readAt!).toBe(true);
  });

  it("keeps what the first one showed, with its time, if the list fails again", async () => {
    const { directory, counts } = directoryOf("", { statusOf: (page) => [200, 403][page] ?? 500 });
    await directory.read();
    const { readAt } = directory;
    await directory.readAgain();
    expect([directory.error?.code, directory.isMissing, directory.readAt, counts.asked]).toEqual([
      "unavailable",
      false,
      readAt,
      2 + 2,
    ]);
    expect([...directory.found.keys()].join("")).toBe("fe");
  });

  it("asks once more for a survey that the list does not have", async () => {
    const { directory, counts } = directoryOf("fx", {
      fields: ["name"],
      statusOf: (page) => (page < 1 ? 403 : 200),
    });
    const answers = [await directory.askFor("x"), await directory.askFor("x")];
    expect([answers.map((each) => "page" in each), counts.asked]).toEqual([[false, false], 1]);
    await directory.askAgainFor("x");
    const last = await directory.askFor("x");
    expect(["page" in last, directory.record("x")?.name, counts.asked]).toEqual([true, "Survey x", 2]);
  });
});

describe("what is listed at the end of a sync", () => {
  it("is asked for anew, whole, whatever was read before", async () => {
    const { directory, service } = directoryOf("f");
    await directory.read();
    service.setStatus("f", "gone");
    expect([...(await directory.listedNow())!].join("")).toBe("edcba");
    expect([...directory.found.keys()].join("")).toBe("fe");
  });

  it.each<[string, Options]>([
    ["fails", { statusOf: () => 403 }],
    ["fails halfway", { statusOf: (page) => (page > 0 ? 403 : 200) }],
    ["leads astray", { link: "/surveys/x" }],
    ["holds a record without an id", { hides: "a" }],
  ])("is not known if the list %s", async (_, options) => {
    expect(await directoryOf("", options).directory.listedNow()).toBeUndefined();
  });
});
