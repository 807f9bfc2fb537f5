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
 * `npm start`, run for real, and its page in a real Chromium. Pictures are kept in `.survey-export/pictures/`, to be looked at.
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

describe("README's picture", () => {
  /** In pixels of the page. The picture has twice as many, for sharp screens. */
  const [WIDTH, HEIGHT] = [1000, 545];

  test("is the top of the page that npm start makes, as large as it is in README", async () => {
    const { page, problems } = await openFile(context, file("surveys.html"), 2 * WIDTH);
    await page.evaluate("document.body.style.zoom = 2");
    const clip = { x: 0, y: 0, width: 2 * WIDTH, height: 2 * HEIGHT };
    await page.setViewportSize(clip);
    // To renew the picture, copy this to docs/page.png.
    await page.screenshot({ path: join(pictures, "page.png"), clip });
    expect(await page.locator("h2").first().textContent()).toBe("How are we doing?");
    expect(problems).toEqual([]);
    await page.close();
    // The header of a PNG has its size.
    const header = readFileSync(join(root, "docs/page.png")).subarray(16, 24);
    expect([header.readUInt32BE(0), header.readUInt32BE(4)]).toEqual([clip.width, clip.height]);
  });
});
