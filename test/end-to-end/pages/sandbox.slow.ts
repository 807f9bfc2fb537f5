import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleSurveys, SURVEY_IDS } from "../../../sandbox/index.ts";
import { openChromium } from "../../support/chromium.ts";
import { sandboxForTest, testSandbox } from "../../support/sandbox.ts";

/** For people to look at. */
const PICTURES = join(import.meta.dirname, "../../../.survey-export/pages");
const HOSTILE = `<script>document.title = "taken"</script><img src=x onerror="document.title = 'taken'">`;

const [last, ...others] = exampleSurveys(500, 1, 4, Date.now()).reverse();
const sandbox = await testSandbox({ surveys: [...others.reverse(), { ...last!, name: HOSTILE }] });
let browser: BrowserContext;
let page: Page;
/** What the browser complained about, and every host that the page asked. */
const complaints: string[] = [];
const hosts = new Set<string>();

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await openChromium();
  await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
  page = browser.pages()[0] ?? (await browser.newPage());
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(new URL("/", sandbox.url).href);
  await page.getByText("Serving").waitFor();
});
afterAll(() => browser?.close());

const row = (id: string) => page.locator(`#surveys tr[data-id="${id}"]`);
const button = (name: string) => page.getByRole("button", { name, exact: true });
const message = (text: string | RegExp) => page.locator("#message").filter({ hasText: text }).waitFor();
const countShown = async (id: string): Promise<number> =>
  Number(await row(id).locator(".count").textContent());
const ask = (path: string, signal: AbortSignal | null = null) =>
  fetch(`${sandbox.url}${path}`, { headers: { authorization: `Basic ${sandbox.apiKey}` }, signal });
const statusOf = async (path: string): Promise<number> => {
  const answer = await ask(path);
  await answer.arrayBuffer();
  return answer.status;
};
const [FIRST, SECOND, THIRD, FOURTH] = SURVEY_IDS;
const LIST = `/surveys/${FIRST}/responses?items_per_page=1`;

describe("the page of the sandbox", () => {
  it("gives the values for a program, and copies them", async () => {
    const copied = async (name: string): Promise<string> => {
      await button(`Copy ${name}`).click();
      return page.evaluate("navigator.clipboard.readText()");
    };
    expect(await copied("Base URL")).toBe(sandbox.url);
    expect(await copied("API key")).toBe(sandbox.apiKey);
    expect(await copied("Survey ids")).toBe(SURVEY_IDS.slice(0, 4).join(", "));
  });

  it("lets one person answer, or fifty", async () => {
    await button(`Let 1 person answer survey ${FIRST}`).click();
    await message(`1 person answered survey ${FIRST}.`);
    await button(`Let 50 people answer survey ${FIRST}`).click();
    await message(`50 people answered survey ${FIRST}.`);
    expect(await countShown(FIRST)).toBe(551);
    expect(sandbox.service.truth.count(FIRST)).toBe(551);
  });

  it("lets people begin, and finish later", async () => {
    await button(`Let 3 people begin to answer survey ${SECOND}`).click();
    await message(`3 people began to answer survey ${SECOND}.`);
    await button("Let all finish").click();
    await message(/^[1-3] responses? got more answers\.$/);
  });

  it("shows the newest responses first, and deletes a respondent with everything, by row or by uuid", async () => {
    const { truth } = sandbox.service;
    const everywhere = () => truth.surveyIds().reduce((sum, id) => sum + truth.count(id), 0);
    /** Deletes a respondent, who leaves with all of their responses. */
    const expectDeleted = async (uuid: string, del: () => Promise<void>) => {
      const [before, theirs] = [everywhere(), truth.responsesOf(uuid).length];
      await del();
      await message(`Deleted respondent ${uuid} with ${theirs} response`);
      expect(everywhere()).toBe(before - theirs);
    };
    const [newest] = truth.newest(1);
    const first = page.locator("#newest tr").first();
    await first.filter({ hasText: newest!.respondent_uuid }).waitFor();
    expect(await first.locator(".time").textContent()).toMatch(/^today \d\d:\d\d:\d\d$/);
    await expectDeleted(newest!.respondent_uuid, () => first.getByRole("button").click());

    const { respondent_uuid: uuid } = [...truth.responses(THIRD)][0]!;
    const field = page.getByLabel("Respondent", { exact: true });
    await field.fill(uuid);
    await expectDeleted(uuid, () => page.keyboard.press("Enter"));
    expect(await statusOf(`/respondents/${uuid}/responses`)).toBe(404);
    await field.fill(uuid);
    await button("Delete with all responses").click();
    await message(`There is no respondent ${uuid}.`);
  });

  it("shows each request with its status", async () => {
    expect(await statusOf(`${LIST}&attributes[]=plan`)).toBe(200);
    const shown = page.locator("#requests tr").filter({ hasText: "attributes[]=plan" });
    await shown.waitFor();
    expect(await shown.locator(".status").textContent()).toBe("200");
    expect(await statusOf("/surveys/9999/responses")).toBe(404);
    await page.locator("#requests tr").first().filter({ hasText: "/v2/surveys/9999/responses" }).waitFor();
  });

  it("switches a fault on and off, with the keyboard too", async () => {
    const plan = page.getByRole("switch", { name: "Plan without the API" });
    await plan.focus();
    await page.keyboard.press("Space");
    await message("Plan without the API: on.");
    const refused = await ask(LIST);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("Your plan does not include the API.");
    await page.locator("#requests tr").filter({ hasText: "403 plan" }).first().waitFor();
    await page.getByText("On: 1 request so far.").waitFor();
    expect(await plan.getAttribute("aria-checked")).toBe("true");
    await page.keyboard.press("Space");
    await message("Plan without the API: off.");
    expect(await statusOf(LIST)).toBe(200);
  });

  it("counts the last minute: started, refused by a limit, and in flight", async () => {
    sandbox.service.addFaults({ on: FOURTH, reply: "silence", times: 5 });
    const ended = new AbortController();
    const silent = Array.from({ length: 5 }, () => ask(`/surveys/${FOURTH}/responses`, ended.signal));
    await page.locator("#in-flight").filter({ hasText: "5 of 5" }).waitFor();
    expect(await statusOf(LIST)).toBe(429);
    await page.locator("#refused").filter({ hasText: "1" }).waitFor();
    ended.abort();
    await Promise.allSettled(silent);
    await page.locator("#in-flight").filter({ hasText: "0 of 5" }).waitFor();
    const difference = async () =>
      Number(await page.locator("#started").textContent()) - sandbox.service.load.startsInLastMinute;
    await expect.poll(difference, { timeout: 20_000 }).toBe(0);
    expect(await page.locator("#allowed").textContent()).toBe("of 1,000 requests started");
  });

  it("shows a hostile name as text", async () => {
    expect(await row(FOURTH).locator(".name").textContent()).toBe(HOSTILE);
    expect(await page.title()).toBe("Sandbox of the survey service");
  });

  it("is readable in light, in dark and on a phone", async () => {
    await page.getByRole("switch", { name: "An error now and then" }).click();
    // Requests for the picture, more at once than the service allows.
    for (const count of [20, 50, 80]) {
      await Promise.all(Array.from({ length: count }, () => statusOf(LIST)));
      await page.waitForTimeout(700);
    }
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [name, width] of [
        ["desktop", 1_280],
        ["phone", 360],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.waitForTimeout(1_300);
        await page.evaluate("document.getElementById('message').className = ''");
        await page.screenshot({ path: join(PICTURES, `sandbox-${colorScheme}-${name}.png`), fullPage: true });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        const requests = await page.locator("section.requests").boundingBox();
        expect(requests!.height).toBeLessThan(600);
      }
    }
    await button("All off").click();
  });

  it("asked nobody but the sandbox, and the browser complained of nothing", () => {
    expect([...hosts]).toEqual([new URL(sandbox.url).host]);
    expect(complaints).toEqual([]);
  });

  it("has a sentence in the place of each table that is empty", async () => {
    const empty = await browser.newPage();
    const { url } = await sandboxForTest({ surveys: [] });
    await empty.goto(new URL("/", url).href);
    for (const sentence of ["There is no survey.", /^No response yet/, /^No request yet/])
      await empty.getByText(sentence).waitFor();
    await empty.screenshot({ path: join(PICTURES, "sandbox-empty.png"), fullPage: true });
    await empty.close();
  });

  it("says so when the sandbox was stopped", async () => {
    await sandbox.close();
    await page.getByText("The sandbox does not answer. Was it stopped?").waitFor();
    await button(`Let 1 person answer survey ${FIRST}`).click();
    await message("The sandbox does not answer.");
  });
});
