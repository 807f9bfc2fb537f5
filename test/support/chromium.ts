import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
