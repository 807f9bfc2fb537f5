import { createClient, render, STREAMS, type StreamRecord } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { isStrictlyInside } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE } from "../../../../connector/core/coverage/stream-state.ts";
import type { Timestamp } from "../../../../connector/core/coverage/timestamp.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import type { RespondentStream } from "../../../../connector/core/streams/definition.ts";
import { Channel } from "../../../../connector/core/sync/channel.ts";
import { PeopleReader } from "../../../../connector/core/sync/people-reader.ts";
import { Requests } from "../../../../connector/core/sync/requests.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { StreamInSync } from "../../../../connector/core/sync/stream-in-sync.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { respondentKey } from "../../../../connector/core/text/uuid.ts";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { answering, page as pageOf, SECOND } from "../../../model/support/connection.ts";
import { EPOCH_MS } from "../../../model/support/list-service.ts";
import { at } from "../coverage/support/timestamps.ts";

/** What a person's list answers: a status, or the seconds of the responses that it shows, which are to survey `o`. */
type List = number | readonly (number | null)[];
/** Somebody's response to survey `s`, at a second. */
type Given = readonly [person: string, second: number];

const NOW_S = 1_000;
const second = (count: number): Timestamp => at(count * SECOND + 1);

interface Setting {
  readonly name?: "respondent_responses" | "respondent_attributes";
  readonly configured?: readonly string[];
  readonly lookbackMs?: number;
  /** Configured people of whom nothing is left to read. */
  readonly known?: readonly string[];
}
/** A stream of people over a service in which each list shows a response from second 900, unless `lists` says otherwise. */
function reading(lists: Readonly<Record<string, List>> = {}, setting: Setting = {}) {
  const { name = "respondent_responses", configured = [], lookbackMs = 0, known = [] } = setting;
  // Of what was covered above it, the next sync reads nothing.
  const endDate = known.length > 0 ? second(950) : undefined;
  const respondents = new Map(known.map((key) => [key, [[null, second(NOW_S)]] as const]));
  const clock = createSimulatedClock(EPOCH_MS + NOW_S * 1000);
  const warnings: string[] = [];
  const asked: string[] = [];
  const chance = { next: 0 };
  const client = createClient(
    {
      clock,
      random: () => chance.next,
      log: (_, message, code) => warnings.push(`${code}: ${render(message)}`),
      transport: async ({ url }) => {
        const [, , , person = ""] = new URL(url).pathname.split("/");
        asked.push(person);
        const list = lists[person] ?? [900];
        if (typeof list === "number") return answering(list);
        if (name === "respondent_attributes")
          return pageOf(list.map((id) => ({ id: id ?? "none", name: "n", value: "v" })));
        return pageOf(
          list.map((place) => ({
            survey: { id: "o" },
            response: { uuid: `${person} ${place}`, collected_at: place === null ? "soon" : second(place) },
          })),
        );
      },
    },
    { baseUrl: "http://service.local/v2" },
  );
  const channel = new Channel();
  const cursor = new StreamCursor({
    ...{ initialState: { ...EMPTY_STATE, respondents }, surveyIds: ["s"], lookbackMs },
    ...{ startDate: undefined, endDate },
    ...{ present: second(NOW_S), dependsOnStartDate: true, personalData: undefined },
    respondents: name === "respondent_responses" ? configured : [],
  });
  const definition = STREAMS[name] as RespondentStream;
  const log = new Warnings(client.host.log);
  const stream = new StreamInSync(definition, cursor, log, channel);
  const reader = new PeopleReader({
    ...{ stream, definition, client, lookbackMs, respondentUuids: configured, itemsPerPage: 100 },
    ...{ requests: new Requests(client, () => {}), startDate: undefined, endDate },
  });
  const records: StreamRecord[] = [];
  const failures: string[] = [];
  void (async () => {
    for (let entry = await channel.next(); entry; entry = await channel.next()) {
      if (entry.event.type === "records") records.push(...entry.event.records);
      if (entry.event.type === "failure") failures.push(entry.event.error.message);
      entry.taken();
    }
  })();
  /** Takes a page that reads everything down to its last response. @returns those of it that the next sync reads again */
  const take = async (...given: readonly Given[]): Promise<number[]> => {
    const items = given.map(([person, place]): Item => {
      const respondent = person === "" ? {} : { uuid: person, attributes: [{ name: "n", value: "v" }] };
      const response = {
        uuid: `r${place}`,
        collected_at: second(place),
        respondent,
        attributes: [{ name: "n" }],
      };
      const survey = { id: "s" };
      return { uuid: response.uuid, timestamp: second(place), response, survey, raw: { survey, response } };
    });
    const covered = [[second(given.at(-1)![1] - 10), second(given[0]![1] + 10)] as const];
    const read = [{ covered, unreadable: [], doubtful: [] }];
    const page = {
      surveyId: "s",
      items,
      read,
      newestSeen: second(NOW_S),
      problem: undefined,
      warning: undefined,
    };
    await reader.take(page);
    const { covered: all } = cursor.surveys.of("s");
    return given.map(([, place]) => place).filter((place) => !isStrictlyInside(all, second(place)));
  };
  const finish = () => {
    reader.finish();
    stream.finish();
    return { isComplete: !stream.isIncomplete, codes: warnings.map((line) => line.split(":")[0]) };
  };
  return { reader, stream, chance, take, finish, asked, records, failures };
}
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const people = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `p${from + n}`);
const each = (names: readonly string[], list: List) => Object.fromEntries(names.map((name) => [name, list]));
/** A page with a response of each, a minute apart. */
const givenBy = (names: readonly string[]): Given[] => names.map((name, n) => [name, 800 - 30 * n] as const);

describe("a page", () => {
  it("leads to nobody by a response without a name: it counts as read, and is not emitted", async () => {
    const { take, asked, records, finish, failures } = reading();
    expect(await take(...Array.from({ length: 10 }, (_, n): Given => ["", 90 - n]))).toEqual([]);
    expect([asked, records]).toEqual([[], []]);
    expect(finish()).toMatchObject({ isComplete: false, codes: ["nameless_response"] });
    await tick();
    expect(failures).toEqual([expect.stringMatching(/^None of the 10 responses of this sync names/)]);
  });
});

describe("somebody who is not found", () => {
  it.each([
    [9, true],
    [10, false],
  ])("is one of %i of whom nobody was found: complete is %s", async (count, isComplete) => {
    const names = people(count);
    const { take, finish } = reading(each(names, 404));
    expect(await take(...givenBy(names))).toHaveLength(count);
    expect(finish().isComplete).toBe(isComplete);
  });

  it("is nobody still if the only other list is empty", async () => {
    const { reader, take } = reading({ anna: 404, bert: [] }, { configured: ["bert"] });
    await reader.readConfigured();
    expect(await take(["anna", 90])).toEqual([90]);
  });
});

describe("a list that fails", () => {
  it.each<[string, List, number, readonly number[]]>([
    ["answers 403", 403, 1, [50]],
    ["answers 500", 500, 4, [50]],
    ["shows something that cannot be read", [900, null], 1, [50]],
    ["is empty", [], 1, [50]],
    ["is more than a second behind", [88], 1, []],
  ])("since it %s leaves a hole, and the others go on", async (_, list, requests, later) => {
    const { take, asked } = reading({ bert: list });
    expect(await take(["anna", 110], ["bert", 90], ["carl", 70])).toEqual([90]);
    expect(asked.filter((person) => person === "bert")).toHaveLength(requests);
    expect(await take(["bert", 50]), "of a later page, too").toEqual(later);
    expect(
      asked.filter((person) => person === "bert"),
      "no more requests",
    ).toHaveLength(requests);
  });

  it("is not behind within a second: lists may show other digits", async () => {
    const { take, finish } = reading({ anna: [89] });
    expect(await take(["anna", 90])).toEqual([]);
    expect(finish().codes).toEqual([]);
  });

  it("counts as behind by the newest response of its page", async () => {
    const { take, finish } = reading({ anna: [80] });
    expect(await take(["anna", 90], ["anna", 70])).toEqual([90]);
    expect(finish().codes).toEqual(["response_missing_in_list"]);
  });

  it.each([
    [9, 403, true, "respondents_failed"],
    [10, 403, false, undefined],
    [9, [1], true, "response_missing_in_list"],
    [10, [1], false, undefined],
  ] as const)("is one of %i (%j): complete is %s", async (count, list, isComplete, code) => {
    const names = people(count);
    const { take, finish } = reading(each(names, list));
    await take(...givenBy(names));
    expect(finish()).toEqual({ isComplete, codes: code === undefined ? [] : [code] });
  });

  it("leaves the stream complete if more lists were good than are behind", async () => {
    const { take, finish } = reading(each(people(10), [1]));
    await take(...givenBy(people(21)));
    expect(finish().isComplete).toBe(true);
  });

  it("is told of by itself if the configuration names its person", async () => {
    const { reader, take, finish, failures } = reading({ anna: 403 }, { configured: ["anna"] });
    expect(await take(["anna", 90])).toEqual([90]);
    await reader.readConfigured();
    expect(failures).toHaveLength(1);
    expect(finish()).toEqual({ isComplete: false, codes: [] });
  });
});

describe("after fifteen failures in a row", () => {
  async function failing(next: Readonly<Record<string, List>> = {}) {
    const read = reading({ ...each(people(15), 500), ...next });
    await read.take(...givenBy(people(15)));
    read.asked.length = 0;
    return read;
  }

  it("one person of each further page, by chance, is tried twice, and all of the page is one hole", async () => {
    const { stream, chance, take, asked } = await failing({ anna: 500, bert: 500 });
    expect(await take(["anna", 900], ["carl", 850], ["dora", 800])).toEqual([900, 850, 800]);
    expect(isStrictlyInside(stream.cursor.surveys.of("s").covered, second(825))).toBe(false);
    chance.next = 0.9;
    await take(["carl", 750], ["bert", 700]);
    expect(asked).toEqual(["anna", "anna", "bert", "bert"]);
  });

  it("nobody is tried who was asked before", async () => {
    const { take, asked } = await failing();
    expect(await take(["p0", 890], ["anna", 880])).toEqual([890]);
    expect(asked).toEqual(["anna"]);
  });

  it("everybody is asked again once one is read", async () => {
    const { take, asked } = await failing();
    expect(await take(["anna", 890], ["bert", 880])).toEqual([]);
    expect(await take(["carl", 870], ["dora", 860])).toEqual([]);
    expect(asked).toEqual(["anna", "bert", "carl", "dora"]);
  });

  it("after fifty pages in vain only one of ten is tried, by chance", async () => {
    const names = people(60, 100);
    const { chance, take, asked } = await failing(each(names, 403));
    for (const [number, name] of names.entries()) {
      chance.next = number === 55 ? 0.09 : 0.1;
      await take([name, 990 - number]);
    }
    expect(asked).toEqual([...names.slice(0, 50), names[55]]);
  });
});

describe("a response of somebody who was read before", () => {
  it("on the same page is none", async () => {
    expect(await reading({ anna: [999] }).take(["anna", 999], ["anna", 998])).toEqual([]);
  });
});

describe("people whom the configuration names", () => {
  it.each<[List, object | undefined]>([
    [[900], { anna: [[null, second(900)]] }],
    [[88, 70], undefined],
    [[], undefined],
  ])("are not remembered by a list that lacks what led there (%j)", async (list, remembered) => {
    const { stream, take } = reading({ anna: list }, { configured: ["anna"] });
    await take(["anna", 90]);
    expect(stream.cursor.state().toJSON().respondents).toEqual(remembered);
  });

  it("are not asked if nothing of them is left to read, and are nobody whom this sync has found", async () => {
    const { take, asked } = reading({ bert: 404 }, { configured: ["anna"], known: ["anna"] });
    expect(await take(["anna", 90], ["bert", 50])).toEqual([50]);
    expect(asked).toEqual(["bert"]);
  });
});

it("one person is one key, however a UUID is written; other ids stay as they are", () => {
  const uuid = "0000000A-0000-4000-8000-00000000000B";
  expect([respondentKey(uuid), respondentKey("Anna")]).toEqual([uuid.toLowerCase(), "Anna"]);
});
