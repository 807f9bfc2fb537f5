import { createClient, type StreamName, type StreamRecord } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { createSimulatedClock } from "./support/clock.ts";
import { answering, Connection, PLAIN, personId, personOf, SECOND } from "./support/connection.ts";
import { createListService, EPOCH_MS, HEALTHY, type ServiceFaults } from "./support/list-service.ts";
import { Replica } from "./support/replica.ts";
import { syncInProcess } from "./support/sync.ts";

/*
 * What a page shows and could not be delivered is a hole: a gap of the next sync, which nothing else closes (e, f).
 */

const HOUR = 3600;
const LOOKBACK_S = 600;
/** Responses that could not be read themselves, and people who could not. */
const BOTH = ["survey_responses", "respondent_attributes"] as const;
type Stream = (typeof BOTH)[number] | "respondent_responses";

/** Responses `r0`, `r1`, … of persons of the same number, who have one attribute each. */
function connectionOf(
  stream: StreamName,
  count: number,
  atOf: (number: number) => number,
  dialect = PLAIN,
): Connection {
  const attributes = new Map(Array.from({ length: count }, (_, person) => [personId(person), 1]));
  const connection = new Connection(stream, dialect, attributes);
  for (let number = 0; number < count; number++) connection.add(`r${number}`, number, atOf(number));
  return connection;
}

/** These responses come without a field, until the next call. */
function spoils(
  connection: Connection,
  isSpoiled: (number: number) => boolean,
  field: "uuid" | "collected_at" = "uuid",
): void {
  const spoiled = connection.service.responses.filter(({ uuid }) => isSpoiled(Number(uuid.slice(1))));
  connection.faults = { ...connection.faults, unreadable: new Map(spoiled.map(({ uuid }) => [uuid, field])) };
}

/** What a stream needs of these responses cannot be read: the responses themselves, or their people's lists. */
function breaks(connection: Connection, stream: Stream, isBroken: (number: number) => boolean): void {
  if (stream === "survey_responses") spoils(connection, isBroken);
  else
    connection.script = (path) => {
      const person = personOf(path);
      return person !== undefined && isBroken(person) ? answering(403) : undefined;
    };
}

function heals(connection: Connection): void {
  spoils(connection, () => false);
  connection.script = undefined;
}

/** Numbers of the responses of which the stream has not delivered what they lead to. */
function missing(connection: Connection, stream: Stream): number[] {
  const isThere = (number: number): boolean =>
    connection.delivered.has(stream === "respondent_attributes" ? `${personId(number)} 1` : `r${number}`);
  const numbers = connection.service.responses.map(({ uuid }) => Number(uuid.slice(1)));
  return numbers.filter((number) => !isThere(number));
}

describe.each(BOTH)("a hole stays until it is read (%s)", (stream) => {
  it.each([
    ["wherever it lies among slices", (number: number) => number * 60 + number / 1e6, "microseconds"],
    ["among ties", (number: number) => Math.floor(number / 3) * 60, "microseconds"],
    ["among neighbours of a microsecond", (number: number) => number / 1e6, "microseconds"],
    ["if the service shows milliseconds", (number: number) => number / 3000, "milliseconds"],
    ["if the service shows seconds", (number: number) => number / 3, "seconds"],
    ["if the service shows seconds, of one response each", (number: number) => number * 60 + 0.7, "seconds"],
  ] as const)("%s", async (_, atOf, shows) => {
    for (let offset = 0; offset < 8; offset++) {
      const connection = connectionOf(stream, 80, atOf, { ...PLAIN, shows });
      const options = { itemsPerPage: 10 };
      const isBroken = (number: number): boolean => number % 8 === offset;
      breaks(connection, stream, isBroken);
      for (const hour of [10, 11, 12]) {
        await connection.sync(hour * HOUR, options);
        expect(missing(connection, stream).filter((number) => !isBroken(number))).toEqual([]);
      }
      heals(connection);
      expect((await connection.sync(13 * HOUR, options)).isComplete).toBe(true);
      expect([offset, missing(connection, stream)]).toEqual([offset, []]);
      expect(connection.state!.surveys.s!.length).toBeLessThan(3);
    }
  });

  it("at the edge of the lookback, and in it", async () => {
    for (let number = 105; number < 120; number++) {
      const connection = connectionOf(stream, 120, (each) => each * 60);
      breaks(connection, stream, (each) => each === number);
      for (const hour of [0, 1]) {
        expect((await connection.sync(120 * 60 + hour * HOUR)).isComplete).toBe(true);
        expect(missing(connection, stream)).toEqual([number]);
      }
      heals(connection);
      for (const hour of [2, 3]) await connection.sync(120 * 60 + hour * HOUR);
      expect(missing(connection, stream)).toEqual([]);
      expect(connection.state!.surveys.s).toHaveLength(1);
    }
  });

  it("if syncs are killed at any event, before and while it can be read again", async () => {
    const isBroken = (number: number): boolean => number % 10 === 5;
    for (let events = 1; events < 20; events++) {
      const connection = connectionOf(stream, 90, (number) => number * 60);
      const options = { itemsPerPage: 5 };
      const untilEvent = () => {
        let count = 0;
        return () => ++count >= events;
      };
      breaks(connection, stream, isBroken);
      await connection.sync(2 * HOUR, options, untilEvent());
      await connection.sync(3 * HOUR, options);
      await connection.sync(4 * HOUR, options, untilEvent());
      expect(missing(connection, stream).filter((number) => !isBroken(number))).toEqual([]);
      heals(connection);
      await connection.sync(5 * HOUR, options, untilEvent());
      expect((await connection.sync(6 * HOUR, options)).isComplete).toBe(true);
      expect([events, missing(connection, stream)]).toEqual([events, []]);
    }
  });
});

it("streams that have different holes keep their own, and share the requests for the survey", async () => {
  const COUNT = 500;
  const service = createListService(
    PLAIN,
    new Map(Array.from({ length: COUNT }, (_, person) => [personId(person), 1])),
  );
  for (let number = 0; number < COUNT; number++)
    service.add({ uuid: `r${number}`, survey: "s", person: personId(number), at: number * 60 * SECOND });
  const replica = new Replica();
  const missed = (stream: StreamName, key: (number: number) => string): number =>
    replica.lost(
      stream,
      Array.from({ length: COUNT }, (_, number) => key(number)),
    ).length;
  const missedIn = () => [
    missed("survey_responses", (number) => `r${number}`),
    missed("respondent_attributes", (number) => `${personId(number)} 1`),
  ];
  async function sync(hour: number, faults: Partial<ServiceFaults>): Promise<string[]> {
    const paths: string[] = [];
    const clock = createSimulatedClock(EPOCH_MS + hour * HOUR * 1000);
    const transport = async ({ url }: { url: string }) => {
      const path = url.slice("http://service/v2".length);
      paths.push(path);
      await clock.sleep(1);
      const answer = service.answer(path, { ...HEALTHY, ...faults });
      return { ...answer, headers: { date: new Date(clock.now()).toUTCString() } };
    };
    const client = createClient({ clock, transport, log: () => {} }, { baseUrl: "http://service/v2" });
    const streams = ["survey_responses", "respondent_attributes"] as const;
    await syncInProcess(client, replica, {
      ...{ surveyIds: ["s"], respondentUuids: [], lookbackMs: 1000 * LOOKBACK_S, streams },
      key: (stream, { uuid, respondent_uuid, id }) =>
        stream === "survey_responses" ? String(uuid) : `${respondent_uuid} ${id}`,
    });
    return paths;
  }
  const unreadable = new Map([100, 200, 201].map((number) => [`r${number}`, "uuid" as const]));
  const refusing = new Map([150, 200, 300].map((number) => [personId(number), 403]));
  await sync(10, { unreadable, refusing });
  expect(missedIn()).toEqual([3, 5]);
  // The unreadable ones show their people now, who are three; 200 is refused.
  await sync(11, { refusing });
  expect(missedIn()).toEqual([0, 3]);
  const paths = await sync(12, {});
  expect(missedIn()).toEqual([0, 0]);
  expect(paths.filter((path) => path.startsWith("/surveys/")).length).toBeLessThanOrEqual(2 * 3 + 2);
});

describe("neighbours who are refused are one hole (d)", () => {
  const stream = "respondent_attributes";

  it("14 of 1,000: everybody else comes in the first sync, and they come when they can be read", async () => {
    const connection = connectionOf(stream, 1000, (number) => number * HOUR);
    const isRefused = (number: number): boolean => number >= 200 && number < 214;
    breaks(connection, stream, isRefused);
    for (const hour of [1001, 1002]) {
      const { isComplete, paths } = await connection.sync(hour * HOUR);
      expect([isComplete, hour === 1001 || new Set(paths).size < 20]).toEqual([false, true]);
      expect(missing(connection, stream).every(isRefused)).toBe(true);
    }
    expect(connection.state!.surveys.s!.length).toBeLessThan(4);
    heals(connection);
    expect((await connection.sync(1003 * HOUR)).requests).toBeLessThan(20);
    expect(missing(connection, stream)).toEqual([]);
  });

  it("600 of 1,000: everybody else comes within some syncs, and they come when they can be read", async () => {
    const connection = connectionOf(stream, 1000, (number) => number * HOUR);
    const isRefused = (number: number): boolean => number >= 200 && number < 800;
    breaks(connection, stream, isRefused);
    let syncs = 0;
    while (!missing(connection, stream).every(isRefused)) {
      const { isComplete, requests } = await connection.sync((1001 + syncs) * HOUR);
      expect([isComplete, requests < (syncs === 0 ? 600 : 200)]).toEqual([false, true]);
      expect(++syncs).toBeLessThan(15);
    }
    expect(connection.state!.surveys.s!.length).toBeLessThan(50);
    heals(connection);
    await connection.sync(1020 * HOUR);
    expect(missing(connection, stream)).toEqual([]);
    expect((await connection.sync(1021 * HOUR)).requests).toBeLessThan(5);
  });

  it("a page on which nobody was asked is one hole, and the page after it does not close that", async () => {
    const connection = connectionOf(stream, 2000, (number) => number * HOUR);
    breaks(connection, stream, () => true);
    expect((await connection.sync(2001 * HOUR, { itemsPerPage: 20 })).requests).toBeLessThan(400);
    heals(connection);
    await connection.sync(2002 * HOUR, { itemsPerPage: 20 });
    expect(missing(connection, stream)).toEqual([]);
  });

  it("of 150 who are not neighbours, each has a turn: one who can be read again comes within some syncs", async () => {
    for (const recovered of [135, 265]) {
      const connection = connectionOf(stream, 1500, (number) => number * HOUR);
      breaks(connection, stream, (number) => number % 10 === 5);
      await connection.sync(1501 * HOUR);
      breaks(connection, stream, (number) => number % 10 === 5 && number !== recovered);
      let syncs = 0;
      while (missing(connection, stream).includes(recovered)) {
        expect((await connection.sync((1502 + syncs) * HOUR)).requests).toBeLessThan(275);
        expect(++syncs).toBeLessThan(60);
      }
    }
  });

  it("one of them who can be read again ends that, and the rest of their page is read", async () => {
    const connection = connectionOf(stream, 1000, (number) => number * HOUR);
    breaks(connection, stream, (number) => number > 500);
    await connection.sync(1001 * HOUR, { inOrder: true });
    expect(missing(connection, stream).filter((number) => number < 500)).toEqual([]);
  });
});

describe("what cannot be read leaves a hole (f)", () => {
  it.each([
    [9, true],
    [10, false],
  ])(
    "%i places: complete with a warning that names the first one, or incomplete from ten on",
    async (count, isComplete) => {
      for (const field of ["uuid", "collected_at"] as const) {
        const connection = connectionOf("survey_responses", 3000, (number) => number * 60);
        spoils(connection, (number) => number % 250 === 3 && number < 250 * count, field);
        for (const hour of [0, 1]) {
          const synced = await connection.sync(3000 * 60 + hour * HOUR);
          expect([synced.isComplete, synced.failures.length]).toEqual([isComplete, isComplete ? 0 : 1]);
          const [told] = isComplete ? synced.warnings : synced.failures;
          expect(told).toContain("holds an item that cannot be read");
          expect(told).toContain(`${count} such places`);
          if (hour > 0) expect(synced.requests).toBeLessThanOrEqual(2 * count + 2);
        }
        heals(connection);
        expect((await connection.sync(3000 * 60 + 2 * HOUR)).emitted.length).toBeLessThan(5 * count + 15);
        expect(connection.missing()).toEqual([]);
      }
    },
  );

  it("1,000 of 20,000 cost a later sync about a request each, and all come in one sync when they can be read", async () => {
    const connection = connectionOf("survey_responses", 20_000, (number) => number * 60);
    spoils(connection, (number) => number % 20 === 3);
    await connection.sync(20_000 * 60);
    expect(connection.delivered.size).toBe(19_000);
    spoils(connection, (number) => number % 20 === 3 && number > 100);
    const { requests } = await connection.sync(20_000 * 60 + HOUR);
    expect(requests).toBeLessThan(1100);
    heals(connection);
    expect(await connection.sync(20_000 * 60 + 2 * HOUR)).toMatchObject({ isComplete: true, failures: [] });
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(20_000 * 60 + 3 * HOUR)).requests).toBeLessThan(5);
  });

  it.each([
    ["a page", (number: number) => number >= 300 && number < 400],
    ["the newest page", (number: number) => number >= 900],
    ["the oldest page", (number: number) => number < 100],
    ["all pages", () => true],
  ])("all of %s: everything else comes, and all of it when it can be read", async (_, isSpoiled) => {
    const connection = connectionOf("survey_responses", 1000, (number) => number * 60);
    for (const hour of [0, 1]) {
      spoils(connection, isSpoiled);
      const { requests } = await connection.sync(1000 * 60 + hour * HOUR);
      expect(requests).toBeLessThan(hour === 0 ? 20 : 14);
      expect(connection.missing().filter((uuid) => !isSpoiled(Number(uuid.slice(1))))).toEqual([]);
    }
    heals(connection);
    expect((await connection.sync(1000 * 60 + 2 * HOUR)).isComplete).toBe(true);
    expect(connection.missing()).toEqual([]);
    expect((await connection.sync(1000 * 60 + 3 * HOUR)).requests).toBeLessThan(5);
  });

  it.each([
    ["is nested too deep", "survey_responses", { extra: JSON.parse("[".repeat(100) + "]".repeat(100)) }],
    ["has an answer without its question", "survey_answers", { answers: [{ answer: "Fine." }] }],
  ] as const)("if it %s: the rest goes on, and it comes when it can be read", async (_, stream, change) => {
    const connection = connectionOf(stream, 300, (number) => number * 60);
    const isIn = (records: readonly StreamRecord[]): boolean =>
      records.some(({ uuid, response_uuid }) => (response_uuid ?? uuid) === "r151");
    connection.script = (path) =>
      connection.altered(path, (items) =>
        items.map((item) =>
          item.response.uuid === "r151" ? { ...item, response: { ...item.response, ...change } } : item,
        ),
      );
    for (const hour of [10, 11]) {
      const { isComplete, warnings, requests, records } = await connection.sync(hour * HOUR);
      expect([isComplete, warnings.length, isIn(records)]).toEqual([true, 1, false]);
      expect(requests).toBeLessThan(hour === 10 ? 20 : 5);
    }
    heals(connection);
    expect(isIn((await connection.sync(12 * HOUR)).records)).toBe(true);
  });

  it("in a person's list leaves it at what led there: what it hid comes when it can be read", async () => {
    for (const stream of ["respondent_responses", "respondent_attributes"] as const) {
      const connection = connectionOf(stream, 100, (number) => number * HOUR);
      connection.add("r100", 50, 50 * HOUR - 60, "t");
      const spoiled = {
        unreadable: new Map([["r100", "uuid" as const]]),
        attributesUnreadable: new Set([personId(50)]),
      };
      connection.faults = { ...HEALTHY, ...spoiled };
      for (const hour of [101, 102]) {
        const synced = await connection.sync(hour * HOUR);
        expect(synced).toMatchObject({ isComplete: true, failures: [] });
        expect(synced.warnings).toContainEqual(expect.stringContaining("left out, and the next sync"));
        if (hour > 101) expect(synced.requests).toBeLessThan(6);
      }
      connection.faults = HEALTHY;
      await connection.sync(103 * HOUR);
      const key = stream === "respondent_attributes" ? `${personId(50)} 1` : "r100";
      expect(connection.delivered).toContain(key);
      expect((await connection.sync(104 * HOUR)).requests).toBeLessThan(4);
    }
  });
});
