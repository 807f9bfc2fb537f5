import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BrowserContext, chromium } from "playwright-core";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

/**
 * A headless Chromium: the one that CHROMIUM names, or Debian's. It opens files and reaches 127.0.0.1, and no other host.
 * Close the context when the test ends.
 */
export async function openChromium(): Promise<BrowserContext> {
  const executablePath = process.env.CHROMIUM || DEBIAN_CHROMIUM;
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. Install one (Debian: apt-get install chromium), or name it in CHROMIUM.`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), "survey-export-browser-"));
  const quiet = ["--disable-background-networking", "--disable-component-update"];
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    headless: true,
    viewport: { width: 1440, height: 900 },
    args: ["--no-sandbox", "--disable-gpu", ...quiet],
  });
  context.setDefaultTimeout(30_000);
  await context.route(
    ({ protocol, hostname }) => protocol !== "file:" && hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  return context;
}

/** Opens a file in a window of this width, and keeps what went wrong, and what was requested. */
export async function openFile(
  context: BrowserContext,
  path: string,
  width: number,
  colorScheme: "light" | "dark" = "light",
) {
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.goto(pathToFileURL(path).href);
  return { page, problems, requests };
}
