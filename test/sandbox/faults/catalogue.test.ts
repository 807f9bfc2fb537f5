import { describe, expect, it } from "vitest";
import { FAULT_CATALOGUE, type Fault, type FaultName, type FaultReply } from "../../../sandbox/index.ts";
import { type ClientReply, type ListPage, pageOf, TRANSPORTS } from "../support/client.ts";

const nobody = "00000000-0000-4000-8000-000000000001";
const responses = Array.from({ length: 6 }, (_, number) => ({
  uuid: `r${number}`,
  collected_at: `2026-01-0${number + 1}T00:00:00.000000Z`,
  respondent_uuid: nobody,
}));
const surveys = [
  { id: "1", responses },
  { id: "2", responses: [] },
];
const respondents = [
  {
    uuid: nobody,
    attributes: [
      { id: 1, name: "a", value: "b" },
      { id: 2, name: "c", value: "d" },
    ],
  },
];
const list = "/surveys/1/responses?items_per_page=3";
const below = (path: string): string => `/v2${path}`;
const link = "/surveys/1/responses?start=2026-01-03T00:00:00.000000Z&items_per_page=3";

/** Checks the answer that a fault leaves of a page with three of six responses. */
type Left = (seen: ClientReply) => unknown;
const status =
  (code: number, wait?: string): Left =>
  (seen) => {
    expect([seen.status, seen.headers["retry-after"]]).toEqual([code, wait]);
  };
const envelope =
  (look: (page: ListPage) => unknown): Left =>
  (seen) =>
    look(pageOf(seen));
const linked = (to: string): Left =>
  envelope(({ pagination_data, data }) => {
    expect(pagination_data).toEqual({ has_more: true, next_url: to });
    expect(data).toHaveLength(3);
  });
const item = (look: (first: ListPage["data"][number], others: ListPage["data"]) => unknown): Left =>
  envelope(({ data: [first, ...others] }) => look(first, others));
const moved =
  (code: number, to: string): Left =>
  (seen) =>
    expect([seen.status, seen.headers.location]).toEqual([code, to]);
const nothingWhole = "no whole answer";
const key = "sandbox-key-4f1c";
const quoted = (spelling: string): Left => {
  const body = `{"error":{"message":"Rejected header: Authorization: Basic ${spelling}"}}`;
  return (seen) => expect([seen.status, seen.text]).toEqual([200, body]);
};
const dated =
  (look: (date: unknown) => void): Left =>
  (seen) => {
    expect(pageOf(seen).data).toHaveLength(3);
    look(seen.headers.date);
  };

const outcomes: Record<FaultName, Left | typeof nothingWhole> = {
  status_099: status(99),
  status_400_quotes_key: (seen) =>
    expect([seen.status, seen.text.includes(`Basic ${key}`)]).toEqual([400, true]),
  status_404: status(404),
  status_408: status(408),
  status_410: status(410),
  status_429: status(429),
  status_429_seconds: status(429, "2"),
  status_429_date: (seen) => {
    expect(seen.status).toBe(429);
    expect(Date.parse(String(seen.headers["retry-after"]))).not.toBeNaN();
  },
  status_429_past_date: (seen) =>
    expect(Date.parse(String(seen.headers["retry-after"]))).toBeLessThan(Date.now()),
  status_429_nonsense: status(429, "soon"),
  status_429_far: (seen) =>
    expect(Date.parse(String(seen.headers["retry-after"]))).toBeGreaterThan(Date.UTC(2035, 0, 1)),
  status_429_far_seconds: status(429, "99999999999"),
  status_500: (seen) => {
    expect(seen.status).toBe(500);
    expect(JSON.parse(seen.text)).toEqual({ error: { status: 500, message: "The service is not well." } });
  },
  status_502_html: (seen) => {
    expect(seen.status).toBe(502);
    expect(seen.text).toContain("<html>");
  },
  status_503: status(503),
  status_503_seconds: status(503, "2"),
  status_503_hour: status(503, "3600"),
  status_504: status(504),
  status_204: status(204),
  status_200_html: (seen) => {
    expect([seen.status, seen.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(seen.text).toContain("<html>");
  },
  status_200_empty: (seen) => expect([seen.status, seen.text]).toEqual([200, ""]),
  status_200_null: (seen) => expect(JSON.parse(seen.text)).toBeNull(),
  status_200_list: (seen) => expect(JSON.parse(seen.text)).toEqual([]),
  status_200_quotes_key: quoted(key),
  status_200_quotes_key_upper: quoted("SANDBOX-KEY-4F1C"),
  date_absent: dated((date) => expect(date).toBeUndefined()),
  date_nonsense: dated((date) => expect(date).toBe("half past nine")),
  date_hour_ahead: dated((date) => expect(Date.parse(String(date))).not.toBeNaN()),
  date_hour_behind: dated((date) => expect(Date.parse(String(date))).not.toBeNaN()),
  reset_before_headers: nothingWhole,
  reset_in_headers: nothingWhole,
  reset_after_headers: nothingWhole,
  reset_in_body: nothingWhole,
  cut_with_length: nothingWhole,
  cut_in_chunks: nothingWhole,
  cut_without_length: (seen) => {
    expect(seen.status).toBe(200);
    expect(seen.text.startsWith('{"pagination_data"')).toBe(true);
    expect(() => JSON.parse(seen.text)).toThrow(SyntaxError);
  },
  silence: nothingWhole,
  body_endless: nothingWhole,
  body_drip: nothingWhole,
  body_huge: nothingWhole,
  body_tiny_objects: envelope(({ data }) => expect(data).toEqual([{}, {}, {}])),
  body_byte_order_mark: (seen) => {
    expect(seen.text.charCodeAt(0)).toBe(0xfeff);
    expect(JSON.parse(seen.text.slice(1)).data).toHaveLength(3);
  },
  no_pagination_data: envelope((page) => expect(Object.keys(page)).toEqual(["data"])),
  no_data: envelope((page) => expect(Object.keys(page)).toEqual(["pagination_data"])),
  no_has_more: envelope((page) => expect(page.pagination_data).toEqual({ next_url: link })),
  has_more_text: envelope((page) => expect(page.pagination_data.has_more).toBe("false")),
  data_object: envelope((page) => expect(page.data).toEqual({})),
  data_null: envelope((page) => expect(page.data).toBeNull()),
  more_without_link: envelope((page) => expect(page.pagination_data).toEqual({ has_more: true })),
  more_with_null_link: envelope((page) =>
    expect(page.pagination_data).toEqual({ has_more: true, next_url: null }),
  ),
  more_with_empty_link: envelope((page) =>
    expect(page.pagination_data).toEqual({ has_more: true, next_url: "" }),
  ),
  link_stays: linked(list),
  link_back: linked("/surveys/1/responses"),
  link_absolute: linked(`https://other.example/v2${link}`),
  link_protocol_relative: linked(`//other.example/v2${link}`),
  link_backslash: linked(`\\\\other.example/v2${link}`),
  link_slash_backslash: linked(`/\\other.example/v2${link}`),
  link_dots: linked(`/../v1${link}`),
  link_encoded_dots: linked(`/%2e%2e/v1${link}`),
  link_hidden_dots: linked(`/.\t./v1${link}`),
  link_credentials: linked(`https://user:password@other.example/v2${link}`),
  link_at: linked(`@other.example/v2${link}`),
  link_port: linked(`:1@other.example/v2${link}`),
  link_script: linked("javascript:alert(1)"),
  link_file: linked("file:///etc/hostname"),
  link_line_break: linked(`${link}\r\nhost: other.example`),
  link_other_survey: linked(link.replace("/surveys/1/", "/surveys/2/")),
  link_with_key: linked(`${link}&access=${key}`),
  link_absolute_with_key: linked(`https://other.example/v2${link}&access=${key}`),
  redirect_other_host: moved(302, `https://other.example${below(list)}`),
  redirect_permanent: moved(308, `//other.example${below(list)}`),
  redirect_same_host: moved(307, below(list)),
  item_without_uuid: item(({ response }, others) => {
    expect(response).not.toHaveProperty("uuid");
    expect(others.every((other) => other.response.uuid)).toBe(true);
  }),
  item_without_collected_at: item(({ response }) => expect(response).not.toHaveProperty("collected_at")),
  item_without_respondent: item(({ response }) => expect(response).not.toHaveProperty("respondent")),
  item_uuid_number: item(({ response }) => expect(response.uuid).toBe(12_345)),
  item_collected_at_number: item(({ response }) => expect(response.collected_at).toBe(1_767_225_600)),
  item_collected_at_nonsense: item(({ response }) => expect(response.collected_at).toBe("yesterday")),
  item_an_hour_ahead: item(({ response }, others) => {
    const newest = others[0].response.collected_at;
    expect(response.collected_at > newest).toBe(true);
  }),
  item_null_in_lists: item(({ response }) => {
    for (const list of [response.answers, response.attributes, response.respondent.attributes]) {
      expect(list.at(-1)).toBeNull();
    }
  }),
  item_deeply_nested: item(({ response }) => {
    let levels = 0;
    for (let deeper = response.sentiment; deeper !== null; deeper = deeper.deeper) levels += 1;
    expect(levels).toBe(5_000);
  }),
  item_beyond_safe_numbers: (seen) => {
    expect(seen.text).toContain('"id":9007199254740993,');
    expect(seen.text).toContain('"question_id":9007199254740993,');
    expect(pageOf(seen).data).toHaveLength(3);
  },
  item_infinite_numbers: (seen) => {
    expect(seen.text).toContain('"score":1e400');
    expect(pageOf(seen).data[0].response.score).toBe(Infinity);
  },
  item_lone_surrogates: (seen) => {
    expect(seen.text).toContain('"mood \\ud83d":"\\ud83d"');
    expect(pageOf(seen).data[0].response.url.isWellFormed()).toBe(false);
  },
  items_without_uuid: envelope(({ data }) => {
    expect(data).toHaveLength(3);
    for (const { response } of data) expect(response).not.toHaveProperty("uuid");
  }),
  item_other_types: item((first, others) => {
    for (const { response } of [first, ...others])
      expect(response).toMatchObject({ answers: "none", url: 7 });
  }),
  item_null: item((first, others) => expect([first, others.length]).toEqual([null, 2])),
  item_text: item((first) => expect(first).toBe("response")),
  item_unknown_fields: item(({ response }) => {
    expect(response.sentiment).toEqual({ score: 0.5, words: ["fine"] });
    expect(response.respondent.segment).toBe("new");
  }),
  item_million_characters: item(({ response }) => expect(response.url).toHaveLength(1_000_000)),
  page_reversed: envelope(({ data }) =>
    expect(data.map(({ response }) => response.uuid)).toEqual(["r3", "r4", "r5"]),
  ),
  page_empty: envelope((page) =>
    expect(page).toEqual({ pagination_data: { has_more: true, next_url: list }, data: [] }),
  ),
  page_empty_link_on: envelope((page) =>
    expect(page).toEqual({ pagination_data: { has_more: true, next_url: link }, data: [] }),
  ),
  slow: envelope(({ data }) => expect(data).toHaveLength(3)),
};

/** Faults that only a client's time limit ends. */
const endless: readonly FaultName[] = ["silence", "body_drip"];

/** Waits of a test must be short and its pages small; everything else is as in the catalogue. */
const shortened = (name: FaultName): FaultName | FaultReply => {
  if (name === "slow") return { kind: "delay", ms: 20 };
  return name === "body_tiny_objects" ? { kind: "tiny_objects", count: 3 } : name;
};

describe.each(TRANSPORTS)("faults %s", (_, connect) => {
  const withFaults = (faults: readonly Fault[]) => connect({ surveys, respondents, faults });

  it.each(Object.keys(FAULT_CATALOGUE) as FaultName[])(
    "%s: once, and the truth before and after",
    async (name) => {
      const reply = shortened(name);
      const service = await withFaults([{ on: "survey_responses", nth: 2, reply }]);
      const before = pageOf(await service.get(list));
      expect(before.data.map(({ response }) => response.uuid)).toEqual(["r5", "r4", "r3"]);
      const outcome = outcomes[name];
      const answer = service.get(list, endless.includes(name) ? { timeoutMs: 150 } : {});
      if (outcome === nothingWhole) await expect(answer).rejects.toThrow();
      else outcome(await answer);
      expect(pageOf(await service.get(list))).toEqual(before);
      expect(service.service.stats.faults).toBe(1);
      expect(Object.keys(service.service.stats.byFault)).toEqual([
        typeof reply === "string" ? reply : reply.kind,
      ]);
    },
  );
});
