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
