import { readFileSync } from "node:fs";
import { ConnectionFault, type StreamName, say } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { createService } from "../../sandbox/index.ts";
import { createSimulatedClock } from "../support/clock.ts";
import { clientOf, type SimulatedHost, simulatedHost } from "../support/host.ts";
import { surveyOf } from "../support/sandbox.ts";
import { Replica, syncInProcess } from "../support/sync.ts";
import { answering, connectionOf } from "../support/sync-story.ts";

type Reply = Awaited<ReturnType<SimulatedHost["transport"]>>;
const EACH = 200;
/** What docs/troubleshooting.md promises. */
const page = readFileSync("docs/troubleshooting.md", "utf8");
const OUTAGE_S = Number(/at most (\d+) s without one good answer/.exec(page)![1]);
const MAINTENANCE_H = Number(/nothing but 429 or 503.*after (\d+) hours/.exec(page)![1]);
const reply = (status: number, body = ""): Reply => ({ status, headers: {}, body });

const REFUSED = () => Promise.resolve(reply(403));

/** What a service that is down does to a request. */
const KINDS = {
  "refuses connections": () => Promise.reject(new ConnectionFault(say`connection refused`)),
  "never answers": (signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  "answers all with 500": () => Promise.resolve(reply(500)),
  "answers all with a page of HTML": () => Promise.resolve(reply(200, "<html>Back soon</html>")),
} satisfies Record<string, (signal?: AbortSignal) => Promise<Reply>>;

/**
 * A sync of survey_responses over a sandbox. `down`: what the service does to the path at that time (seconds after the
 * start); undefined = it answers.
 */
async function sync(
  surveys: number,
  down: (path: string, atS: number) => ((signal?: AbortSignal) => Promise<Reply>) | undefined,
  streams: readonly StreamName[] = ["survey_responses"],
) {
  const clock = createSimulatedClock();
  const surveyIds = Array.from({ length: surveys }, (_, number) => `s${number}`);
  const sandbox = createService({
    clock,
    latencyMs: 1000,
    surveys: surveyIds.map((id, seed) => surveyOf(id, EACH, { seed, to: "2025-06-01T00:00:00.000000Z" })),
  });
  const beganMs = clock.monotonicMs();
  const host = simulatedHost(sandbox, clock);
  const client = clientOf({
    ...host,
    transport: (request, signal) => {
      const fault = down(request.url, (clock.monotonicMs() - beganMs) / 1000);
      return fault ? fault(signal) : host.transport(request, signal);
    },
  });
  const { failures, incomplete, records } = await syncInProcess(client, new Replica(), {
    surveyIds,
    respondentUuids: [],
    streams,
  });
  const tookS = (clock.monotonicMs() - beganMs) / 1000;
  const sentences = failures.map(({ message }) => message);
  return {
    records: records.filter((record) => "uuid" in record).length,
    attributes: records.filter((record) => !("uuid" in record)).length,
    incomplete,
    tookS,
    sentences,
    complete: incomplete.length === 0,
    codes: failures.map(({ code }) => code),
  };
}

describe.each(Object.entries(KINDS))("a service that %s", (kind, fault) => {
  it.each([2, 40])(
    "from the start ends a sync of %i surveys within two minutes, with one sentence",
    async (surveys) => {
      const { tookS, sentences, complete } = await sync(surveys, () => fault);
      expect(tookS).toBeLessThanOrEqual(OUTAGE_S);
      expect(sentences).toEqual([
        expect.stringMatching(
          /^The service has .* since 00:00:00 UTC \(.*\)\. (Check that|Run the sync again)/,
        ),
      ]);
      expect(complete).toBe(false);
    },
  );

  it("in the middle of a sync ends it two minutes later, and says since when", async () => {
    const { tookS, sentences, records } = await sync(40, (_, atS) => (atS < 8 ? undefined : fault));
    expect(records).toBeGreaterThan(EACH);
    expect(tookS).toBeLessThanOrEqual(8 + 1 + OUTAGE_S);
    expect(sentences).toEqual([
      expect.stringMatching(/^The service has .* since 00:00:0[89] UTC \(.*\)\. Run the sync again; /),
    ]);
  });

  it("for less than a minute and a half loses nothing and fails nothing", async () => {
    const isDown = (atS: number) => atS >= 2 && atS < 72;
    // A request that hangs does so until its transport gives it up.
    const forAWhile = kind === "never answers" ? KINDS["refuses connections"] : fault;
    const { records, sentences, complete } = await sync(12, (_, atS) =>
      isDown(atS) ? forAWhile : undefined,
    );
    expect({ sentences, complete, records }).toEqual({ sentences: [], complete: true, records: 12 * EACH });
  });
});

describe("lists that fail by themselves", () => {
  it.each([
    ["answer all with 500", KINDS["answers all with 500"], "unavailable"],
    ["refuse all with 403", REFUSED, "forbidden"],
  ])("(they %s) are told of in one sentence, and all others are read", async (_, fault, code) => {
    const isBroken = /\/s(\d|[1-3]\d)\//; // 40 of 45
    const { records, codes, sentences } = await sync(45, (path) => (isBroken.test(path) ? fault : undefined));
    expect(records).toBe(5 * EACH);
    expect(new Set(codes)).toEqual(new Set([code]));
    expect(sentences).toEqual([
      expect.stringMatching(
        /^40 surveys could not be read, .*: ("s\d+", ){4}"s\d+" and 35 more\. .* Run the sync again/,
      ),
    ]);
  });

  it("of a single survey name it", async () => {
    const { sentences } = await sync(2, (path) =>
      path.includes("/s0/") ? KINDS["answers all with 500"] : undefined,
    );
    expect(sentences).toEqual([
      expect.stringMatching(/^Survey "s0" could not be read\. .*status 500 to GET \/surveys\/s0\/responses/),
    ]);
  });

  it("and are the last ones to be read are named, if the service answers something else", async () => {
    const { sentences, records } = await sync(12, (path) =>
      /\/s1?1\//.test(path) ? KINDS["refuses connections"] : undefined,
    );
    expect(records).toBe(10 * EACH);
    expect(sentences).toEqual([expect.stringMatching(/^2 surveys could not be read, .*: "s1", "s11"\./)]);
  });
});

it.each([...Object.entries(KINDS), ["refuses all with 403", REFUSED] as const])(
  "an endpoint of people that %s fails its stream, and no other if it answers",
  async (_, fault) => {
    const { incomplete, records, tookS } = await sync(
      2,
      (path) => (path.includes("/respondents/") ? fault : undefined),
      ["survey_responses", "respondent_attributes"],
    );
    // Requests that hang hold all slots, so nobody can tell that from an outage.
    const looksLikeAnOutage = fault === KINDS["never answers"];
    expect(incomplete).toContain("respondent_attributes");
    expect(incomplete.includes("survey_responses")).toBe(looksLikeAnOutage);
    expect(records === 2 * EACH).toBe(!looksLikeAnOutage);
    expect(tookS).toBeLessThanOrEqual(400);
  },
);

describe("a service that asks to wait (503)", () => {
  it("for longer than the documented time ends the sync", async () => {
    const { sentences, tookS } = await sync(3, (_, atS) =>
      atS < 0.5 ? undefined : () => Promise.resolve(reply(503)),
    );
    expect(sentences[0]).toMatch(
      /^The service is unavailable \(status 503 to GET \/surveys\/s\d\/responses\?.*\)\. This was tried for 1\d\d min\. Run the sync again; everything that was delivered is kept\. If it continues, ask the service\.$/,
    );
    expect(tookS / 3600).toBeCloseTo(MAINTENANCE_H, 1);
  });

  it("for an hour is no outage, and the sync goes on", async () => {
    const { complete, records } = await sync(3, (_, atS) =>
      atS < 3600 ? () => Promise.resolve({ ...reply(503), headers: { "retry-after": "1200" } }) : undefined,
    );
    expect({ complete, records }).toEqual({ complete: true, records: 3 * EACH });
  });
});

describe("while others are answered, waits ten minutes for", () => {
  const streams = ["survey_responses", "respondent_attributes"] as const;
  /** A part of the service always asks to wait. */
  const asking = (status: number, isAsking: RegExp) => (path: string) =>
    isAsking.test(path) ? () => Promise.resolve(reply(status)) : undefined;

  it.each([429, 503])(
    "a survey (%i): it is named, and the others are read with their people",
    async (status) => {
      const { sentences, records, attributes, tookS } = await sync(3, asking(status, /\/s2\//), streams);
      const { attributes: ofOthers } = await sync(2, () => undefined, streams);
      const named = expect.stringContaining(`(status ${status} to GET /surveys/s2/responses?`);
      expect(sentences).toEqual([named]);
      expect({ records, attributes }).toEqual({ records: 2 * EACH, attributes: ofOthers });
      expect(tookS / 60).toBeLessThan(15);
    },
  );

  it("a link (429), which is not replaced", async () => {
    const connection = connectionOf("survey_responses", 150);
    for (let number = 0; number < 500; number++) connection.add(`other ${number}`, 1, number, "other");
    const isAsking = (path: string): boolean => path.includes("/s/") && connection.service.isLink(path);
    connection.answers(isAsking, answering(429));
    const { failures, paths } = await connection.sync({ surveyIds: ["s", "other"] });
    expect(failures).toEqual([expect.stringContaining("(status 429 to GET /surveys/s/responses?")]);
    expect(paths.findLast((path) => path !== "/surveys?items_per_page=1")).toSatisfy(isAsking);
  });

  it("16 surveys of 20 (429): they are told of in one sentence", async () => {
    const { sentences, records, tookS } = await sync(20, asking(429, /\/s([4-9]|1\d)\//));
    expect(sentences).toEqual([
      expect.stringMatching(/^16 surveys .* and 11 more\. .*429 to GET \/surveys\/s\d+\/responses/),
    ]);
    expect(records).toBe(4 * EACH);
    expect(tookS / 3600).toBeLessThan(1);
  });

  it("people (429): the surveys are read", async () => {
    const { incomplete, records, tookS } = await sync(3, asking(429, /\/respondents\//), streams);
    expect(incomplete).toEqual(["respondent_attributes"]);
    expect(records).toBe(3 * EACH);
    expect(tookS / 3600).toBeLessThan(2);
  });
});
