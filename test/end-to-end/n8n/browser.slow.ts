import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Locator, type Page, selectors } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { exampleCompany, type Sandbox, SURVEY_IDS, startSandbox } from "../../../sandbox/index.ts";
import { openChromium } from "../../support/chromium.ts";
import { N8nInstance } from "./support/n8n-instance.ts";
import { OWNER, RestClient } from "./support/rest-client.ts";
import { withCredential } from "./support/workflows.ts";

/** Pictures for people to look at; the good ones go into the package's README. */
const PICTURES = join(import.meta.dirname, "../../../.survey-export/screenshots");

/** The workflows that the package's README begins with. */
const LEADING_EXAMPLES = ["low-score-to-chat", "answers-to-data-table", "weekly-nps-to-chat"];
const EXAMPLES = join(import.meta.dirname, "../../../n8n-node/examples");
const NODES_OF_EXAMPLES = [
  ...["aggregate", "dataTable", "filter", "httpRequest", "if", "merge", "removeDuplicates"],
  ...["set", "stickyNote", "summarize"],
];

let sandbox: Sandbox;
let n8n: N8nInstance;
let rest: RestClient;
let page: Page;

beforeAll(async () => {
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  // Not by startLeg: with a credential there, n8n would not ask for one.
  sandbox = await startSandbox(exampleCompany());
  n8n = await N8nInstance.create("browser", { builtInNodes: NODES_OF_EXAMPLES });
  await n8n.start();
  rest = await RestClient.setUp(n8n.url);
  // n8n marks its elements with another attribute than the one that is looked for by default.
  selectors.setTestIdAttribute("data-test-id");
  const browser = await openChromium();
  page = browser.pages()[0] ?? (await browser.newPage());
  return async () => {
    await browser.close();
    await n8n.stop();
    await sandbox.close();
  };
});

/** A picture of the page, or of one part of it. The sandbox's address is shown as a service's. */
const picture = async (name: string, part?: Locator) => {
  // Lets what moves come to rest, without the notes that n8n lays over its corner for some seconds.
  await page.addStyleTag({ content: ".el-notification { display: none !important }" });
  await page.waitForTimeout(700);
  const address = JSON.stringify(sandbox.url);
  const show = (from: string, to: string) =>
    page.evaluate(
      `for (const field of document.querySelectorAll("input")) if (field.value === ${from}) field.value = ${to};`,
    );
  await show(address, '"https://api.example.com/v2"');
  await (part ?? page).screenshot({ path: join(PICTURES, `${name}.png`) });
  await show('"https://api.example.com/v2"', address);
};

const element = (id: string) => page.getByTestId(id);
const field = (name: string) => element(`parameter-input-${name}`);
const fill = (name: string, text: string) => field(name).locator("input").fill(text);
const locator = () => element("resource-locator-surveyId").locator("input").last();
const option = (name: string) => page.getByRole("option", { name: new RegExp(`^${name}`) });
const choose = async (name: string, what: string) => {
  await field(name).locator("input").click();
  await option(what).click();
};
/** Opens a list in which several can be chosen. A click is lost while n8n loads the list. */
async function open(name: string, first: string): Promise<void> {
  const seen = () => option(first).first().isVisible();
  for (let tries = 0; tries < 60 && !(await seen()); tries++) {
    await field(name)
      .locator(".el-select")
      .last()
      .click({ position: { x: 5, y: 5 } });
    await page.waitForTimeout(1_000);
  }
}
const text = (what: string | RegExp) => page.getByText(what).first();
/** Runs the node until this is there. n8n may take a moment to see what was typed. */
async function runUntil(seen: Locator): Promise<void> {
  for (let isSeen = false; !isSeen; ) {
    await element("node-execute-button").first().click();
    isSeen = await seen.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  }
}
/** The newest responses of the first survey, as the page could show them. */
const newest = (count: number) =>
  new RegExp(
    [...sandbox.service.truth.responses(SURVEY_IDS[0])]
      .slice(-count)
      .map(({ uuid }) => uuid)
      .join("|"),
  );

/** Saves the credential. On a busy machine n8n may miss the click. `seen`: what comes of it, or an error after a while. */
async function save(seen: () => Promise<void>): Promise<void> {
  for (let isSaved = false; !isSaved; ) {
    await element("credential-save-button")
      .click({ timeout: 5_000 })
      .catch(() => {});
    isSaved = await seen().then(
      () => true,
      () => false,
    );
  }
}

/** Runs a step; if it fails, keeps a picture and says which elements were there. */
async function step(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    await picture(`failed ${name}`);
    const ids = await page.evaluate<string[]>(
      "[...new Set([...document.querySelectorAll('[data-test-id]')].map((found) => found.dataset.testId))]",
    );
    throw new Error(`${name}: ${(thrown as Error).message}\nOn the page: ${ids.join(" ")}`);
  }
}

test("a person finds the node, fills it in, runs it, and adds the trigger", async () => {
  await step("sign in", async () => {
    await page.goto(`${n8n.url}/signin`, { waitUntil: "domcontentloaded" });
    await page.locator('input[name="emailOrLdapLoginId"]').fill(OWNER.email);
    await page.locator('input[name="password"]').fill(OWNER.password);
    await page
      .getByRole("button", { name: /sign in/i })
      .first()
      .click();
    await page.waitForURL(({ pathname }) => !pathname.includes("signin"));
  });

  await step("find the node by what it does", async () => {
    await page.goto(`${n8n.url}/workflow/new`, { waitUntil: "domcontentloaded" });
    await element("canvas-plus-button").click();
    const found = element("node-creator-item-name").filter({ hasText: "Survey Export" }).first();
    const searches = ["rating", "detractor", "voice of customer", "new response", "form", "csat", "nps"];
    for (const words of searches) {
      await element("node-creator-search-bar").fill("");
      await found.waitFor({ state: "hidden" });
      await element("node-creator-search-bar").fill(words);
      await found.waitFor();
    }
    await text("Gets survey responses, or starts the workflow with new ones").waitFor();
    await found.click();
    await page.getByText(/^Actions/).click();
    await text("Get many responses of a respondent").waitFor();
    await picture("actions", element("node-creator"));
    await text("Get many survey responses").click();
  });

  await step("make the credential", async () => {
    await element("node-credentials-empty-state").waitFor();
    await page.getByRole("button", { name: /connect to survey export/i }).click();
    await fill("baseUrl", sandbox.url);
    await fill("apiKey", "a-wrong-key");
    await save(() => text("Couldn’t connect with these settings").waitFor({ timeout: 5_000 }));
    await page.waitForTimeout(1_000);
    await page.getByText("More details").click();
    await text(/does not accept the API key/).waitFor();
    await fill("apiKey", sandbox.apiKey);
    // Saved and tested well, the dialog closes by itself; opened again, it tests once more and says so.
    await save(() => element("editCredential-modal").waitFor({ state: "hidden", timeout: 5_000 }));
    await element("credential-edit-button").click();
    await element("credentials-config-container-test-success").waitFor();
    await picture("credential", element("editCredential-modal"));
    await page.getByLabel("Close this dialog").last().click();
  });

  await step("choose a survey from the list and run", async () => {
    await locator().click();
    await element("rlc-item").filter({ hasText: "Website relaunch" }).waitFor();
    await element("rlc-search").fill("ONBOARD");
    await element("rlc-item").filter({ hasText: "Product feedback" }).waitFor({ state: "hidden" });
    await picture("surveys");
    await element("rlc-item").filter({ hasText: "Onboarding" }).click();
    await fill("limit", "5");
    await runUntil(text("nps_score"));
    await text(/Would you recommend us\?: \d/).waitFor();
    await picture("get-many", element("ndv"));
    await field("output").locator("input").click();
    await option("Simplified").waitFor();
    await picture("outputs");
    await option("One Column per Question").click();
    await text("Each survey has columns of its own").waitFor();
    await runUntil(text(/^answer_\d+_score$/));
    await picture("columns", element("ndv"));
    await choose("output", "One Item per Answer");
    await runUntil(text("value_text"));
  });

  await step("see a message", async () => {
    await element("rlc-mode-selector").click();
    await element("mode-id").click();
    await locator().fill("9999");
    await runUntil(text('Survey "9999" was not found'));
    await picture("message", element("ndv"));
    await locator().fill(SURVEY_IDS[0]);
  });

  await step("open filters and options, and see the raw form", async () => {
    await element("collection-parameter-add").first().click();
    await text("Collected After").click();
    await element("collection-parameter-add").nth(1).click();
    await choose("output", "Raw");
    await runUntil(text("operating_system"));
    await element("ndv-close-button").click();
  });

  await step("add the trigger", async () => {
    await element("node-creator-plus-button").click();
    await element("node-creator-search-bar").fill("survey results");
    await element("node-creator-item-name").filter({ hasText: "Survey Export" }).first().click();
    await page.getByText(/^Triggers/).waitFor();
    if ((await page.getByText("On new survey response").count()) === 0)
      await page.getByText(/^Triggers/).click();
    await text("On new survey response").click();
    await open("surveys", "Onboarding");
    for (const name of ["Onboarding", "Support"]) await option(name).click();
    await page.keyboard.press("Escape");
    await runUntil(text(newest(25)));
    await picture("trigger", element("ndv"));
    await choose("watch", "All Surveys");
    await picture("all-surveys", element("ndv"));
  });

  const credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  /** Opens an example, imported as it is. */
  const openExample = async (name: string) => {
    const text = readFileSync(join(EXAMPLES, `${name}.json`), "utf8");
    const id = await rest.create(withCredential(text, credential));
    await page.goto(`${n8n.url}/workflow/${id}`, { waitUntil: "domcontentloaded" });
    await page.getByText("New Response").or(page.getByText("Every Monday")).first().waitFor();
  };

  await step("see the fields of the node before it has run", async () => {
    await openExample("weekly-nps-to-chat");
    await element("canvas-node").filter({ hasText: "With a Score" }).dblclick();
    await text("Usually outputs the following fields").waitFor();
    await text("nps_score").waitFor();
    await text("answers_text").waitFor();
    await picture("preview", element("ndv"));
  });

  await page.setViewportSize({ width: 1_300, height: 640 });
  for (const name of LEADING_EXAMPLES)
    await step(`the example ${name}`, async () => {
      await openExample(name);
      await element("zoom-to-fit").click();
      await picture(name, element("canvas-wrapper"));
    });
  expect(sandbox.service.stats.malformedRequests).toEqual([]);
});
