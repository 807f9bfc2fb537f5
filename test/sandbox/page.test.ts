import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { FAULTS_TO_TRY } from "../../sandbox/page/faults-to-try.ts";
import type { pageData } from "../../sandbox/page/page-data.ts";
import { connected } from "./support/client.ts";

const HOSTILE = '<script>alert("x")</script>';
const response = (day: number) => ({ collected_at: `2026-01-0${day}T00:00:00.000000Z` });
const surveys = [
  { id: "1", name: HOSTILE, responses: [response(1), response(3)] },
  { id: "2", name: "Other", responses: [response(2)] },
];
const dataOf = async ({ url }: Sandbox): Promise<ReturnType<typeof pageData>> =>
  JSON.parse(await (await fetch(new URL("/sandbox/page-data", url))).text());

it("the page's data has what a program needs, the surveys, and the newest responses and requests first", async () => {
  const { sandbox, get } = await connected({ surveys, limits: { perMinute: 3 } });
  for (const id of [1, 9, 1, 2]) await get(`/surveys/${id}/responses`);
  const data = await dataOf(sandbox);
  expect(data).toMatchObject({
    basePath: "/v2",
    apiKey: sandbox.apiKey,
    surveys: [
      { id: "1", name: HOSTILE, type: "PageSurvey", count: 2 },
      { id: "2", name: "Other", count: 1 },
    ],
    newest: [3, 2, 1].map((day) => ({ ...response(day), survey_id: day === 2 ? "2" : "1" })),
    load: { concurrent: 5, inFlight: 0, perMinute: 3, startsInLastMinute: 3 },
    requests: [
      { number: 4, url: "/v2/surveys/2/responses", status: 429 },
      ...[{ status: 200 }, { status: 404 }, { number: 1, url: "/v2/surveys/1/responses", status: 200 }],
    ],
  });
  const sum = (of: "answered" | "refused") => data.seconds.reduce((total, second) => total + second[of], 0);
  expect(data.seconds).toHaveLength(60);
  expect({ answered: sum("answered"), refused: sum("refused") }).toEqual({ answered: 3, refused: 1 });
});

it("every fault that the page offers can be switched on, shows how far it is, and off", async () => {
  const { sandbox } = await connected({ surveys });
  const offered = Object.values(FAULTS_TO_TRY).flat();
  const titles = offered.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  sandbox.service.addFaults(...offered.map(({ fault }) => fault));
  const { activeFaults } = await dataOf(sandbox);
  expect(activeFaults.map(({ name }) => name)).toEqual(titles);
  expect(activeFaults[titles.indexOf("Too many requests")]).toMatchObject({ served: 0, timesLeft: 10 });
  for (const title of titles) sandbox.service.clearFaults(title);
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
