import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { FAULTS_TO_TRY } from "../../sandbox/page/faults-to-try.ts";
import { type pageData, RecentRequests } from "../../sandbox/page/page-data.ts";
import { connected } from "./support/client.ts";

const HOSTILE = '<script>alert("x")</script>';
const at = (day: number) => `2026-01-0${day}T00:00:00.000000Z`;
const surveys = [
  {
    id: "1",
    name: HOSTILE,
    responses: [1, 3].map((day) => ({ collected_at: at(day), respondent_uuid: "p" })),
  },
  { id: "2", name: "Other", responses: [{ collected_at: at(2), respondent_uuid: "q" }] },
];

it("the page's data has what a program needs, the surveys, and the newest responses and requests first", async () => {
  const { sandbox, get } = await connected({ surveys, limits: { perMinute: 3 } });
  const paths = [
    "/surveys/1/responses",
    "/surveys/9/responses",
    "/respondents/p/attributes",
    "/surveys/2/responses",
  ];
  for (const path of paths) await get(path);
  const data = (await (await fetch(new URL("/sandbox/page-data", sandbox.url))).json()) as ReturnType<
    typeof pageData
  >;
  expect(data).toMatchObject({
    ...{ basePath: "/v2", apiKey: sandbox.apiKey },
    surveys: [
      { id: "1", name: HOSTILE, type: "PageSurvey", count: 2 },
      { id: "2", name: "Other", count: 1 },
    ],
    load: { concurrent: 5, inFlight: 0, perMinute: 3, startsInLastMinute: 3 },
  });
  const newest = data.newest.map(({ collected_at, survey_id, respondent_uuid }) => [
    collected_at,
    survey_id,
    respondent_uuid,
  ]);
  expect(newest).toEqual([
    [at(3), "1", "p"],
    [at(2), "2", "q"],
    [at(1), "1", "p"],
  ]);
  const requests = data.requests.map(({ number, url, status }) => [number, url, status]);
  expect(requests).toEqual(
    [429, 200, 404, 200].map((status, place) => [4 - place, `/v2${paths[3 - place]}`, status]),
  );
  const sum = (of: "answered" | "refused") => data.seconds.reduce((total, second) => total + second[of], 0);
  expect([data.seconds.length, sum("answered"), sum("refused")]).toEqual([60, 3, 1]);
});

it("every fault that the page offers can be switched on, shows how far it is, and off", async () => {
  const { sandbox } = await connected({ surveys });
  const offered = Object.values(FAULTS_TO_TRY)
    .flat()
    .map(({ fault }) => fault);
  expect(new Set(offered.map(({ name }) => name)).size).toBe(offered.length);
  sandbox.service.addFaults(...offered);
  const { activeFaults } = (await (
    await fetch(new URL("/sandbox/page-data", sandbox.url))
  ).json()) as ReturnType<typeof pageData>;
  expect(activeFaults.map(({ name }) => name)).toEqual(offered.map(({ name }) => name));
  expect(activeFaults.find(({ name }) => name === "Too many requests")).toMatchObject({
    served: 0,
    timesLeft: 10,
  });
  for (const { name } of offered) sandbox.service.clearFaults(name);
  expect(sandbox.service.activeFaults).toEqual([]);
});

it("the page runs its own script and style only, and asks nobody but the sandbox", async () => {
  const { sandbox } = await connected({ surveys });
  const answer = await fetch(new URL("/", sandbox.url));
  const html = await answer.text();
  const policy = answer.headers.get("content-security-policy")!;
  for (const tag of ["style", "script"]) {
    const [, text = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html)!;
    const hash = createHash("sha256").update(text).digest("base64");
    expect(policy).toContain(`${tag}-src 'sha256-${hash}'`);
  }
  expect(policy).toMatch(/^default-src 'none'; .*connect-src 'self'/);
  expect(html).not.toMatch(/ (on\w+|style)="|<(script|link)[^>]* src=/);
  expect(sandbox.service.stats.requests).toBe(0);
});

it("the list of recent requests keeps 50, and the seconds of the last minute", () => {
  let nowMs = 1_000_000;
  const recent = new RecentRequests({ now: () => nowMs, sleep: async () => {} });
  for (let number = 0; number < 1_000; number += 1) {
    nowMs += 100;
    const status = number % 10 === 0 ? 429 : 200;
    recent.add({ url: `/${number}`, status, fault: undefined, startedAtMs: nowMs });
  }
  expect(recent.listed).toHaveLength(50);
  expect(recent.listed[0]).toMatchObject({ number: 1_000, url: "/999" });
  expect(recent.seconds()[30]).toEqual({ answered: 9, refused: 1 });
  nowMs += 60_000;
  expect(recent.seconds().every(({ answered, refused }) => answered + refused === 0)).toBe(true);
});
