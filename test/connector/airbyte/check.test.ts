import { SurveyExportError, say, type Transport } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { check } from "../../../connector/airbyte/check.ts";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import { createSimulatedClock } from "../../support/clock.ts";
import { Written } from "./support/written.ts";

const PAGE = '{"data":[],"pagination_data":{"has_more":false,"next_url":null}}';

/** A check against a service that answers as `transport` says: its result and its warnings. */
async function checked(transport: Transport, ids: object = { survey_ids: ["a", "b"] }) {
  const clock = createSimulatedClock();
  const beganMs = clock.now();
  const written = new Written(clock);
  const access = { base_url: "http://service.local/v2", api_key: "k3y-9f2c77" };
  const configuration = requireConfiguration({ ...access, ...ids });
  const machine = { clock, createHash: () => String, createTransport: () => transport };
  await check(written.writer, configuration, machine, new AbortController().signal);
  expect(clock.now() - beganMs).toBeLessThan(30_000);
  const lines = written.messages.flatMap(({ log }) => log ?? []);
  const warnings: string[] = lines.map(({ message }) => message);
  expect(lines.map(({ level }) => level)).toEqual(warnings.map(() => "WARN"));
  return { ...written.messages.at(-1).connectionStatus, warnings };
}

const silent: Transport = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
const always =
  (status: number, seconds?: string): Transport =>
  async () => ({ status, headers: seconds === undefined ? {} : { "retry-after": seconds }, body: "" });

const SOMEBODY = "00000000-0000-4000-8000-0000000000aa";

describe("a check answers within 30 seconds, with advice for a check", () => {
  it.each<[string, Transport, RegExp]>([
    ["never answers", silent, /^The request to the service failed .*Check that base_url is right/],
    [
      "asks for a pause of an hour",
      always(429, "3600"),
      /rate limit.*Try again later, or lower requests_per/,
    ],
    ["refuses again and again", always(429, "5"), /rate limit.*Try again later, or lower requests_per/],
    ["is down for an hour", always(503, "3600"), /unavailable.*Try again later\. If it continues, ask/],
    ["fails", always(500), /could not answer.*This was tried 3 times in \d+ s\. Try again later\. If it/],
    ["sends nothing of use", always(200), /cannot be used/],
  ])("when the service %s", async (_, transport, sentence) => {
    const { status, message } = await checked(transport);
    expect([status, message]).toEqual(["FAILED", expect.stringMatching(sentence)]);
    expect(message).not.toMatch(/sync/);
  });

  const answered = { status: 200, headers: {}, body: PAGE };

  it.each<[string, Transport]>([
    ...[400, 401, 402, 403, 418, 422, 500, 302].map((status): [string, Transport] => [
      `has status ${status}`,
      always(status),
    ]),
    ["is a web page", async () => ({ status: 200, headers: {}, body: "<html>" })],
    ["is a connection that breaks", () => Promise.reject(new Error("reset"))],
    ["is too large", () => Promise.reject(new SurveyExportError("system", "too_large", say`Too large.`))],
  ])(
    "when the answer to one survey and one respondent %s: it names both in one line, and succeeds",
    async (_, bad) => {
      const { status, warnings } = await checked(
        async (request, signal) => (/\/(b|.*aa)\//.test(request.url) ? bad(request, signal) : answered),
        { survey_ids: ["a", "b", "c"], respondent_uuids: [SOMEBODY] },
      );
      expect(status).toBe("SUCCEEDED");
      expect(warnings).toEqual([
        expect.stringMatching(
          new RegExp(
            `^These ids cannot be read now: "b", "${SOMEBODY}"\\. .* A sync reads the others\\. \\[not_checked\\]$`,
          ),
        ),
      ]);
    },
  );

  it("when none of the first surveys is found, but a later one or a respondent is", async () => {
    const surveys = Array.from({ length: 30 }, (_, at) => `many-${at}`);
    for (const found of ["many-27", SOMEBODY]) {
      const result = await checked(
        async ({ url }) =>
          url.includes(`/${found}/`) ? answered : { ...answered, status: url.includes("-7/") ? 403 : 404 },
        { survey_ids: surveys, respondent_uuids: [SOMEBODY] },
      );
      expect(result.status).toBe("SUCCEEDED");
      expect(result.warnings[0]).toMatch(/^These ids cannot be read now: "many-7"/);
      expect(result.warnings[1]).toMatch(/^These surveys were not found: "many-0"/);
    }
  });

  it("when one survey of several stays silent", async () => {
    const result = await checked(async (request, signal) =>
      request.url.includes("/surveys/b/") ? silent(request, signal) : answered,
    );
    expect(result).toMatchObject({
      status: "SUCCEEDED",
      warnings: [expect.stringMatching(/^These ids cannot be read now: "b"\. .* \[not_checked\]$/)],
    });
  });

  it("when the time is over before all were tried, and says so", async () => {
    const ids = Array.from({ length: 25 }, (_, at) => `s${at}`);
    const result = await checked(
      async (request, signal) => (request.url.includes("/s0/") ? answered : silent(request, signal)),
      { survey_ids: ids },
    );
    expect(result).toMatchObject({
      status: "SUCCEEDED",
      warnings: [
        expect.stringMatching(/^These ids cannot be read now: "s1", /),
        expect.stringMatching(/^Only \d of the 25 configured surveys and respondents were checked, /),
      ],
    });
  });
});

it("a check that succeeds has all its warnings as its message", async () => {
  const { message, warnings } = await checked(
    async ({ url }) => ({ status: url.includes("/b/") ? 404 : 200, headers: {}, body: PAGE }),
    { survey_ids: ["a", "b"], start_date: "2999-01-01T00:00:00Z" },
  );
  expect(message).toBe(
    'start_date is in the future, so no responses are read until then. Correct it if that is not meant. These surveys were not found: "b". A sync reads the others, and fails until you remove them from survey_ids or correct their ids.',
  );
  expect(warnings.map((warning: string) => warning.replace(/ \[\w+\]$/, "")).join(" ")).toBe(message);
});

describe("a check without ids", () => {
  const list = (...ids: readonly unknown[]) =>
    JSON.stringify({ pagination_data: { has_more: false }, data: ids.map((id) => ({ id, name: "A" })) });
  /** The result, and the paths that were asked for. */
  async function checkedAll(
    answer: (path: string) => { status?: number; body?: string } | Transport,
    more: object = {},
  ) {
    const paths: string[] = [];
    const result = await checked(
      async (request, signal) => {
        const path = request.url.replace("http://service.local/v2", "");
        paths.push(path.replace(/\?.*/, ""));
        const its = answer(path);
        return its instanceof Function
          ? its(request, signal)
          : { status: 200, headers: {}, body: PAGE, ...its };
      },
      { survey_ids: [], ...more },
    );
    return { ...result, paths };
  }
  const many = Array.from({ length: 130 }, (_, at) => `s${at}`);

  it("asks for the list once, and for nothing else", async () => {
    const all = await checkedAll((path) => (path.startsWith("/surveys?") ? { body: list(...many) } : {}));
    expect(all).toMatchObject({ status: "SUCCEEDED", warnings: [], paths: ["/surveys"] });
  });

  it.each([
    [
      { status: 404 },
      /^The service answered 404 to its list of surveys\. Check that base_url is the service's address up to and including \/v2\. If it is, the service does not list its surveys: name those to read in survey_ids\.$/,
    ],
    [{ status: 403 }, /^The service refuses access with this API key/],
    [{ body: "<html>" }, /cannot be used/],
  ])("fails if the list is %j", async (answer, sentence) => {
    const { status, message, paths } = await checkedAll(() => answer);
    expect([status, message]).toEqual(["FAILED", expect.stringMatching(sentence)]);
    expect(new Set(paths)).toEqual(new Set(["/surveys"]));
  });

  it("fails if no record of the list can be read", async () => {
    const unreadable =
      "The list of surveys is not whole: 2 of its 2 records have no id that can be part of an address. Name the surveys to read in survey_ids, and report this to the service.";
    const failed = { status: "FAILED", message: unreadable, warnings: [] };
    expect(await checkedAll(() => ({ body: list("..", null) }))).toMatchObject(failed);
  });

  it("succeeds with a warning if there is no survey yet", async () => {
    const { status, warnings } = await checkedAll(() => ({ body: list() }));
    expect([status, warnings]).toEqual(["SUCCEEDED", [expect.stringContaining("[nothing_to_read]")]]);
  });

  it("goes on in the list until a survey is not excluded", async () => {
    const excluded_survey_ids = many.slice(0, 100);
    const answer = (path: string) => {
      if (!path.startsWith("/surveys?")) return {};
      const [data, next_url] = path.includes("after")
        ? [many.slice(99, 101)]
        : [many.slice(0, 99), "/surveys?after=99"];
      const pagination_data = { has_more: next_url !== undefined, next_url };
      return { body: JSON.stringify({ pagination_data, data: data.map((id) => ({ id })) }) };
    };
    const { status, warnings, paths } = await checkedAll(answer, { excluded_survey_ids });
    expect([status, warnings]).toEqual(["SUCCEEDED", []]);
    expect(paths).toEqual(["/surveys", "/surveys"]);
  });

  it("names exclusions that match nothing, unless the list fails before its end", async () => {
    const pages = (isWhole: boolean) => (path: string) => {
      if (!path.startsWith("/surveys?")) return {};
      if (path.includes("after")) return isWhole ? { body: list("b") } : { status: 403 };
      const pagination_data = { has_more: true, next_url: "/surveys?after=a" };
      return { body: JSON.stringify({ pagination_data, data: [{ id: "a", name: "Churn" }] }) };
    };
    const excluded = { excluded_survey_ids: ["b", "churn"] };
    expect(await checkedAll(pages(true), excluded)).toMatchObject({
      status: "SUCCEEDED",
      warnings: [
        'This entry of excluded_survey_ids excludes nothing, since the service lists no survey with this id: "churn" (the name of survey "a"). Write the whole id of each survey that is not to be read. [nothing_excluded]',
      ],
    });
    expect(await checkedAll(pages(false), excluded)).toMatchObject({ status: "SUCCEEDED", warnings: [] });
  });

  it("names the survey whose name was written for an id, next to one that is found", async () => {
    const answer = (path: string) =>
      path.startsWith("/surveys?") ? { body: list("a") } : { status: path.includes("/a/") ? 200 : 404 };
    const { status, warnings, paths } = await checkedAll(answer, { survey_ids: ["a", "A"] });
    expect([status, warnings]).toEqual([
      "SUCCEEDED",
      [
        expect.stringMatching(
          /^These surveys were not found: "A"\. "A" is the name of survey "a"\. A sync reads the others,/,
        ),
      ],
    ]);
    expect(paths.filter((path: string) => path === "/surveys")).toHaveLength(1);
  });

  it("succeeds with a warning if the list hides records", async () => {
    const { status, warnings } = await checkedAll(() => ({ body: list("a", {}, {}) }));
    expect([status, warnings]).toEqual([
      "SUCCEEDED",
      [
        "The list of surveys holds 2 records without an id that can be part of an address. They were omitted; all others were read. Report this to the service. [items_omitted]",
      ],
    ]);
  });

  it("succeeds with a warning if every listed survey is excluded", async () => {
    const excluded_survey_ids = ["a", "b"];
    const result = await checkedAll(() => ({ body: list("a", "b") }), { excluded_survey_ids });
    expect(result).toMatchObject({
      status: "SUCCEEDED",
      warnings: [
        "The service lists no survey except those in excluded_survey_ids, so there is nothing to read. Remove from that field what you want to read. [nothing_to_read]",
      ],
      paths: ["/surveys"],
    });
  });

  it("is read next to respondents that are named: if they are not found, there is a warning", async () => {
    const lists = (path: string) => (path.startsWith("/surveys?") ? { body: list("a") } : {});
    const gone = (path: string) => (path.startsWith("/respondents/") ? { status: 404 } : lists(path));
    const { status, warnings, paths } = await checkedAll(gone, { respondent_uuids: [SOMEBODY] });
    expect([status, warnings]).toEqual([
      "SUCCEEDED",
      [
        `These respondents were not found: "${SOMEBODY}". A sync reads the others, and fails until you remove them from respondent_uuids or correct their ids. [respondents_not_found]`,
      ],
    ]);
    expect(paths).toEqual(["/surveys", `/respondents/${SOMEBODY}/responses`]);
    const found = await checkedAll(lists, { respondent_uuids: [SOMEBODY] });
    expect(found).toMatchObject({ status: "SUCCEEDED", warnings: [] });
  });

  it("that cannot be read is a warning if a respondent is found who is named, and else an error", async () => {
    const of = (respondent: number) =>
      checkedAll((path) => ({ status: path.startsWith("/surveys?") ? 404 : respondent }), {
        respondent_uuids: [SOMEBODY],
      });
    const { status, warnings } = await of(200);
    expect([status, warnings]).toEqual([
      "SUCCEEDED",
      [
        expect.stringMatching(
          /to its list of surveys.* Only the streams of the respondents can be read\. \[not_checked\]$/,
        ),
      ],
    ]);
    expect(await of(404)).toMatchObject({
      status: "FAILED",
      message: expect.stringContaining("its list of surveys"),
    });
    const ofSilent = await checkedAll((path) => (path.startsWith("/surveys?") ? silent : {}), {
      respondent_uuids: [SOMEBODY],
    });
    expect(ofSilent).toMatchObject({
      status: "SUCCEEDED",
      warnings: [expect.stringMatching(/^The request to the service failed .*\[not_checked\]$/)],
    });
  });

  it.each([{}, { respondent_uuids: [SOMEBODY] }])(
    "fails in time if the list stays silent, with %o",
    async (named) => {
      const { status, message } = await checkedAll(() => silent, named);
      expect(status).toBe("FAILED");
      expect(message).toMatch(/^The request to the service failed/);
    },
  );
});
