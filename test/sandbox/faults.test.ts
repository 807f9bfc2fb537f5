import { describe, expect, it } from "vitest";
import {
  createService,
  exampleSurveys,
  FAULT_CATALOGUE,
  type Fault,
  type FaultName,
  SURVEY_IDS,
} from "../../sandbox/index.ts";
import { connected, type ListPage, type Reply, responseOf } from "./support/client.ts";

const [FIRST, SECOND] = SURVEY_IDS;
const PATH = `/surveys/${FIRST}/responses?items_per_page=2`;
const surveys = exampleSurveys(20, 1, 2);

/** The page that a fault left, compared with the true one. */
type Changed = (page: ListPage, was: ListPage) => unknown;
const page = (changed: Changed) => (reply: Reply, was: ListPage) => {
  expect(reply.status).toBe(200);
  changed(JSON.parse(reply.text), was);
};
const link = (linkOf: (was: string, key: string) => string) =>
  page(({ pagination_data, data }, was) => {
    expect(data).toEqual(was.data);
    expect(pagination_data).toEqual({
      has_more: true,
      next_url: linkOf(was.pagination_data.next_url!, "sandbox-key-4f1c"),
    });
  });
const item = (change: (response: Record<string, unknown>) => void, changesAll = false) =>
  page(({ data, pagination_data }, was) => {
    for (const one of was.data.slice(0, changesAll ? 2 : 1)) change(responseOf(one));
    expect({ data, pagination_data }).toEqual(was);
  });
const status =
  (expected: number, wait: string | null = null, text = /"message":"The service is not well\."/) =>
  ({ status: came, headers, text: body }: Reply) => {
    expect({ status: came, wait: headers.get("retry-after") }).toEqual({ status: expected, wait });
    expect(body).toMatch(text);
  };

/** What a client sees of each fault on the first page of a list; `undefined`: no whole answer. */
const SEEN: Readonly<Record<FaultName, ((reply: Reply, was: ListPage) => void) | undefined>> = {
  status_400_quotes_key: status(400, null, /Basic sandbox-key-4f1c/),
  status_403: status(403, null, /Your plan does not include the API/),
  status_404: status(404),
  status_429: status(429),
  status_429_seconds: status(429, "2"),
  status_500: status(500),
  status_503: status(503),
  status_503_seconds: status(503, "2"),
  status_200_html: status(200, null, /^<!doctype html>/),
  reset_before_headers: undefined,
  cut_with_length: undefined,
  cut_without_length: ({ text }, was) => expect(JSON.stringify(was).startsWith(text)).toBe(true),
  silence: undefined,
  body_huge: ({ text }, was) => {
    expect(text.length).toBeGreaterThan(69_000_000);
    expect(JSON.parse(text)).toEqual(was);
  },
  redirect_other_host: ({ status: came, headers }) => {
    expect(came).toBe(302);
    expect(headers.get("location")).toBe(`https://other.example/v2${PATH}`);
  },
  no_data: page((came) => expect(Object.keys(came)).toEqual(["pagination_data"])),
  more_without_link: page(({ pagination_data }) => expect(pagination_data).toEqual({ has_more: true })),
  link_stays: link(() => PATH),
  link_back: link(() => `/surveys/${FIRST}/responses`),
  link_absolute: link((was) => `https://other.example/v2${was}`),
  link_other_survey: link((was) => was.replace(FIRST, SECOND)),
  link_with_key: link((was, key) => `${was}&access=${key}`),
  item_without_uuid: item((response) => delete response.uuid),
  item_without_respondent: item((response) => delete response.respondent),
  item_an_hour_ahead: page(({ data }) =>
    expect(responseOf(data[0]).collected_at > new Date().toISOString()).toBe(true),
  ),
  item_unknown_fields: item((response) => {
    response.sentiment = { score: 0.5, words: ["fine"] };
    (response.respondent as Record<string, unknown>).segment = "new";
  }, true),
  item_other_types: item((response) => Object.assign(response, FAULT_CATALOGUE.item_other_types.set), true),
  page_reversed: page(({ data }, was) => expect(data).toEqual(was.data.toReversed())),
  page_empty: page((came) =>
    expect(came).toEqual({ pagination_data: { has_more: true, next_url: PATH }, data: [] }),
  ),
  page_empty_link_on: page((came, { pagination_data }) =>
    expect(came).toEqual({ pagination_data, data: [] }),
  ),
  slow: page((came, was) => expect(came).toEqual(was)),
};

describe("a client over HTTP meets", () => {
  it.each(Object.entries(SEEN))("%s as the catalogue says, once", async (name, check) => {
    const { sandbox, get, page: read } = await connected({ surveys });
    const was = await read(PATH);
    const reply = name === "slow" ? ({ kind: "delay", ms: 30 } as const) : (name as FaultName);
    sandbox.service.addFaults({ on: "survey_responses", nth: 1, reply });
    const signal = name === "silence" ? AbortSignal.timeout(200) : null;
    const answer = get(PATH, { signal });
    if (check === undefined) await expect(answer).rejects.toThrow();
    else check(await answer, structuredClone(was));
    expect(await read(PATH)).toEqual(was);
    expect(sandbox.service.stats.faults).toBe(1);
  });

  it("a fault of pages leaves what is no list as it is", async () => {
    const { sandbox, page: read } = await connected({ surveys });
    const was = await read(`/surveys/${FIRST}`);
    sandbox.service.addFaults({ on: "any", reply: "link_back" });
    expect(await read(`/surveys/${FIRST}`)).toEqual(was);
  });

  it.each(["reset_before_headers", "cut_with_length", "silence", "body_huge"] as const)(
    "%s, and a caller in process gets a rejection",
    async (reply) => {
      const service = createService({ surveys, faults: [{ on: "any", reply }] });
      const headers = { authorization: `Basic ${service.apiKey}` };
      await expect(service.handle({ url: `/v2${PATH}`, headers })).rejects.toThrow("The connection failed: ");
      expect(service.load.inFlight).toBe(0);
    },
  );
});

describe("a fault comes", () => {
  let nowMs = Date.UTC(2027, 0, 1);
  const clock = { now: () => nowMs, sleep: async () => {} };
  /** The places of the requests, from 1, that a fault changed. */
  async function changed(fault: Partial<Fault>, paths = Array<string>(12).fill(PATH)) {
    const faults = [{ on: "any", reply: "status_500", ...fault } as const];
    const service = createService({ clock, surveys, limits: false, faults });
    const headers = { authorization: `Basic ${service.apiKey}` };
    const places: number[] = [];
    for (const [place, path] of paths.entries()) {
      const reply = await service.handle({ url: `/v2${path}`, headers });
      if (reply.status === 500) places.push(place + 1);
      nowMs += 1_000;
    }
    return places;
  }

  it("always, at some requests, every few, so many times, or for a time", async () => {
    const all = Array.from({ length: 12 }, (_, place) => place + 1);
    expect(await changed({})).toEqual(all);
    expect(await changed({ nth: 3 })).toEqual([3]);
    expect(await changed({ nth: [2, 5] })).toEqual([2, 5]);
    expect(await changed({ every: 4 })).toEqual([4, 8, 12]);
    expect(await changed({ times: 2 })).toEqual([1, 2]);
    expect(await changed({ toMs: 3_000 })).toEqual([1, 2, 3]);
  });

  it("at an endpoint, or at a path and query", async () => {
    const ofSurveys = [`/surveys/${FIRST}/responses`, `/surveys/${SECOND}/responses?items_per_page=3`];
    const paths = [...ofSurveys, "/respondents/x/attributes", "/surveys", `/surveys/${FIRST}`];
    expect(await changed({ on: "survey_responses" }, paths)).toEqual([1, 2]);
    expect(await changed({ on: "respondent_attributes" }, paths)).toEqual([3]);
    expect(await changed({ on: "survey_list" }, paths)).toEqual([4]);
    expect(await changed({ on: "survey" }, paths)).toEqual([5]);
    expect(await changed({ on: `${SECOND}.*page=3$` }, paths)).toEqual([2]);
  });
});

it("faults can be listed and removed, and a wrong one is refused with a sentence", () => {
  const service = createService();
  const active = () => service.activeFaults.map(({ name, reply }) => name ?? reply);
  service.addFaults({ name: "mine", on: "any", reply: "slow" }, { on: "any", reply: { kind: "reverse" } });
  expect(active()).toEqual(["mine", "reverse"]);
  service.clearFaults("mine");
  expect(active()).toEqual(["reverse"]);
  service.clearFaults();
  expect(active()).toEqual([]);
  for (const reply of ["no_such" as FaultName, {} as never]) {
    expect(() => service.addFaults({ on: "any", reply: "slow" }, { on: "any", reply })).toThrow(
      `No fault is called "${reply}"; give a name from the catalogue, or an object with a kind.`,
    );
  }
  expect(active()).toEqual([]);
});
