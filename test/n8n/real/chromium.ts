import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, selectors } from "playwright-core";
import { mustSucceed } from "./run.ts";

const DEBIAN_S = "/usr/bin/chromium";

/**
 * A headless Chromium: the one that CHROMIUM names, or Debian's, which is installed when it is missing and
 * we may. It reaches this machine and nothing else.
 */
export async function openChromium(): Promise<BrowserContext> {
  const executablePath = process.env.CHROMIUM || DEBIAN_S;
  if (!existsSync(executablePath)) await installChromium(executablePath);
  // n8n marks its elements with another attribute than the one that is looked for by default.
  selectors.setTestIdAttribute("data-test-id");
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
    ({ hostname }) => hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  return context;
}

async function installChromium(path: string): Promise<void> {
  if (path !== DEBIAN_S || process.getuid?.() !== 0) {
    throw new Error(
      `There is no Chromium at ${path}. Install one (Debian: apt-get install chromium) and name it in CHROMIUM.`,
    );
  }
  const options = { cwd: "/", environment: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  await mustSucceed("apt-get", ["update"], options);
  const packages = ["chromium", "fonts-liberation", "fonts-noto-color-emoji"];
  await mustSucceed("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], options);
}
