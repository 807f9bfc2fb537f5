import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsIn } from "../../../tools/demo/delivery.ts";
import build from "../../support/build.ts";
import { openChromium } from "../../support/chromium.ts";

/**
 * `source-survey-export demo`, run for real, and its page in a real Chromium. Pictures of the page are kept in
 * `.survey-export/pictures/`, to be looked at.
 */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const pictures = join(root, ".survey-export/pictures");
let folder: string;
let output: readonly string[];
let context: BrowserContext;

beforeAll(async () => {
  build();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "demo-")));
  const bin = join(root, "dist/source-survey-export.js");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [bin, "demo"], { cwd: folder });
  expect(stderr).toBe("");
  output = stdout.trimEnd().split("\n");
  context = await openChromium();
});

afterAll(async () => {
  await context?.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => join(folder, ".survey-export/demo", name);
const textOf = (name: string): string => readFileSync(file(name), "utf8");

describe("the demo", () => {
  test("kills the program half way, resumes it, and finds everything", () => {
    const rows = [rowsIn(textOf("first.jsonl")).length, rowsIn(textOf("second.jsonl")).length];
    expect(Math.min(...rows)).toBeGreaterThan(1_000);
    expect(output.join("\n")).toMatch(/Killed with SIGKILL after \d+\.\d s\./);
    expect(output.join("\n")).toMatch(/ 0 missing\. [\d,]+ came twice/);
    // Each stream's last number is what is missing.
    const streams = output.filter((line) => /^ +(survey|respondent)_\w+ +\d/.test(line));
    expect(streams.length).toBeGreaterThanOrEqual(4);
    expect(new Set(streams.map((line) => line.split(/ +/).at(-1)))).toEqual(new Set(["0"]));
  });

  test("ends with the path of its page, and keeps its files for their owner", () => {
    expect(output.at(-1)).toBe(".survey-export/demo/report.html");
    expect(statSync(file(".")).mode & 0o777).toBe(0o700);
    for (const name of ["config.json", "first.jsonl", "second.jsonl", "report.html"]) {
      expect(statSync(file(name)).mode & 0o777, name).toBe(0o600);
    }
  });
});

/** Opens a file and keeps what went wrong, and what was asked for beside it. */
async function open(path: string) {
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  return { page, problems, requests };
}

/** The contrast of a text with the page's paper, from 1 to 21 (WCAG 2). */
const contrastOf = (page: Page, selector: string): Promise<number> =>
  page.$eval(selector, (element) => {
    const { getComputedStyle: styleOf, document } = globalThis as unknown as {
      getComputedStyle(of: unknown): { fill: string; color: string; backgroundColor: string };
      document: { body: unknown };
    };
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = color.match(/[\d.]+/g)!.map((part) => {
        const share = Number(part) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const { fill, color } = styleOf(element);
    const isChart = "ownerSVGElement" in element;
    const [one, other] = [
      luminance(isChart ? fill : color),
      luminance(styleOf(document.body).backgroundColor),
    ];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  });

describe("its page", () => {
  test.each([
    ["light", "light", "none"],
    ["dark", "dark", "none"],
    ["grey", "light", "grayscale(1)"],
    ["dark-grey", "dark", "grayscale(1)"],
  ] as const)("is drawn, asks for nothing and can be read: %s", async (name, colorScheme, filter) => {
    const { page, problems, requests } = await open(file("report.html"));
    await page.emulateMedia({ colorScheme });
    await page.evaluate(`document.documentElement.style.filter = ${JSON.stringify(filter)}`);
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.screenshot({ path: join(pictures, `demo-${name}.png`), fullPage: true });
    expect(await page.locator("svg[role=img]").count()).toBe(3);
    for (const selector of ["h1", "figure + details summary", "svg .mark-text text", ".tiles span"]) {
      expect(await contrastOf(page, selector), selector).toBeGreaterThanOrEqual(4.5);
    }
    for (const line of ["Onboarding", "Support", "Product feedback, question 2001"]) {
      await page.locator("svg text", { hasText: line }).first().waitFor({ state: "visible" });
    }
    expect(problems).toEqual([]);
    expect(requests).toEqual([pathToFileURL(file("report.html")).href]);
    await page.close();
  });

  test("fits a phone: only charts and tables are moved sideways", async () => {
    const { page } = await open(file("report.html"));
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.close();
  });

  test("shows each chart's numbers as a table", async () => {
    const { page } = await open(file("report.html"));
    for (const summary of await page.locator("summary").all()) await summary.click();
    expect(await page.locator("details[open] tbody tr").count()).toBeGreaterThan(18);
    await page.close();
  });

  test("runs no script, also if one gets into it", async () => {
    const script = "<script>document.title = 'ran'</script>";
    writeFileSync(file("hostile.html"), textOf("report.html").replace("</main>", `${script}</main>`));
    const { page, problems } = await open(file("hostile.html"));
    expect(problems).toEqual([expect.stringContaining("Content Security Policy")]);
    expect(await page.title()).toBe("Survey Export: what people said");
    await page.close();
  });
});

describe("docs/demo.svg", () => {
  const picture = join(root, "docs/demo.svg");

  test("plays in a loop, and shows the end to those who want no motion", async () => {
    const { page, problems } = await open(picture);
    const last = `[...document.querySelectorAll("text")].find((one) => one.textContent.includes("0 missing."))`;
    const opacityOf = () => page.evaluate(`getComputedStyle(${last}).opacity`);
    const at = (ms: number) =>
      page.evaluate(`for (const one of document.getAnimations()) { one.pause(); one.currentTime = ${ms}; }`);
    const allMs = Number(/animation-duration:(\d+)ms/.exec(readFileSync(picture, "utf8"))![1]);
    await at(allMs / 3);
    await page.screenshot({ path: join(pictures, "terminal-third.png") });
    expect(await opacityOf()).toBe("0");
    await at(allMs - 1_000);
    expect(await opacityOf()).toBe("1");
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.screenshot({ path: join(pictures, "terminal-end.png") });
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    expect(await opacityOf()).toBe("1");
    expect(problems).toEqual([]);
    await page.close();
  });

  test("is small, and names no path of a machine", () => {
    expect(statSync(picture).size).toBeLessThanOrEqual(60_000);
    expect(readFileSync(picture, "utf8")).not.toMatch(/\/(tmp|home|Users|root|var)\//);
  });

  test("tells what the demo tells today", () => {
    const shown = readFileSync(picture, "utf8");
    const headings = output.filter((line) => /^\d\. /.test(line));
    expect(headings).toHaveLength(4);
    for (const heading of headings) expect(shown).toContain(`>${heading}</tspan>`);
  });
});
