import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

/**
 * A headless Chromium: the one that CHROMIUM names, or Debian's, which is installed if it is missing and we are
 * root. It opens files and reaches 127.0.0.1, and no other host. Close the context when the test ends.
 */
export async function openChromium(): Promise<BrowserContext> {
  const executablePath = process.env.CHROMIUM || DEBIAN_CHROMIUM;
  if (!existsSync(executablePath)) installChromium(executablePath);
  const context = await chromium.launchPersistentContext(
    mkdtempSync(join(tmpdir(), "survey-export-browser-")),
    {
      executablePath,
      headless: true,
      viewport: { width: 1440, height: 900 },
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    },
  );
  context.setDefaultTimeout(30_000);
  await context.route(
    ({ protocol, hostname }) => protocol !== "file:" && hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  return context;
}

function installChromium(path: string): void {
  if (path !== DEBIAN_CHROMIUM || process.getuid?.() !== 0) {
    throw new Error(
      `There is no Chromium at ${path}. Install one (Debian: apt-get install chromium) and name it in CHROMIUM.`,
    );
  }
  const aptGet = (...args: string[]): Buffer =>
    execFileSync("apt-get", args, { cwd: "/", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  aptGet("update");
  aptGet(
    "install",
    "--yes",
    "--no-install-recommends",
    "chromium",
    "fonts-liberation",
    "fonts-noto-color-emoji",
  );
}
