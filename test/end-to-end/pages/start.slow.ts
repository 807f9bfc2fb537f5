import { execFile } from "node:child_process";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium, openFile } from "../../support/chromium.ts";
import { testFolder } from "../../support/folder.ts";

/**
 * `npm start`, run for real, and README's picture of it in a real Chromium. Pictures are kept in `.survey-export/pictures/`, to
 * be looked at.
 */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const pictures = join(root, ".survey-export/pictures");
const folder = realpathSync(testFolder().path());
let output: readonly string[];
let context: BrowserContext;

beforeAll(async () => {
  const script = join(root, "scripts/start.ts");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { cwd: folder });
  expect(stderr).toBe("");
  output = stdout.trimEnd().split("\n");
  context = await openChromium();
});

afterAll(() => context?.close());

const file = (name: string): string => join(folder, ".survey-export/start", name);

describe("npm start", () => {
  test("kills the program halfway, resumes it, and finds everything", () => {
    expect(output.join("\n")).toMatch(/Killed with SIGKILL after \d+\.\d s\./);
    // Each stream's last number is what is missing.
    const streams = output.filter((line) => /^ +(survey|respondent)_\w+ +\d/.test(line));
    expect(streams.length).toBeGreaterThanOrEqual(4);
    expect(new Set(streams.map((line) => line.split(/ +/).at(-1)))).toEqual(new Set(["0"]));
  });

  test("reads only what is new in the next sync", () => {
    const [, next, before] = output
      .join("\n")
      .match(/It took (\d+) requests\. The syncs before took (\d+)\./)!;
    expect(Number(next)).toBeLessThan(Number(before) / 4);
  });

  test("reads the later answers of a response that was still being given", () => {
    const [, before, now] = output.join("\n").match(/had (\d+) answers in the sync before has (\d+) now:/)!;
    expect(Number(before)).toBe(2);
    expect(Number(now)).toBeGreaterThan(2);
  });

  test("ends with the address of its report, and keeps its files for their owner", () => {
    expect(output.at(-1)).toBe(pathToFileURL(file("surveys.html")).href);
    expect(statSync(file(".")).mode & 0o777).toBe(0o700);
    for (const name of ["config.json", "surveys.sqlite", "surveys.html"]) {
      expect(statSync(file(name)).mode & 0o777, name).toBe(0o600);
    }
  });
});

describe("docs/demo.svg", () => {
  const picture = join(root, "docs/demo.svg");

  test("plays in a loop, and shows the end to those who want no motion", async () => {
    const { page, problems } = await openFile(context, picture, 1000);
    const last = `[...document.querySelectorAll("text")].find((one) => one.textContent.includes("Nothing is missing."))`;
    const opacityOf = () => page.evaluate(`getComputedStyle(${last}).opacity`);
    const at = (ms: number) =>
      page.evaluate(`for (const one of document.getAnimations()) { one.pause(); one.currentTime = ${ms}; }`);
    const allMs = Number(/animation:(\d+)ms/.exec(readFileSync(picture, "utf8"))![1]);
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

  test("is small, names no path of a machine, and tells what npm start tells today", () => {
    expect(statSync(picture).size).toBeLessThanOrEqual(60_000);
    const shown = readFileSync(picture, "utf8");
    expect(shown).not.toMatch(/\/(tmp|home|Users|root|var|work)\//);
    const headings = output.filter((line) => /^\d\. /.test(line));
    expect(headings).toHaveLength(5);
    for (const heading of headings) expect(shown).toContain(`>${heading}</text>`);
  });
});
