/**
 * `source-survey-export demo`: serves a made-up company, reads it with the real program, kills that half way, resumes,
 * compares with the truth, and draws a page from what was read.
 */
import { spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cannotWrite } from "../../sandbox/ready-files.ts";
import { page } from "./page.ts";
import { tell } from "./story.ts";
import type { Terminal } from "./terminal.ts";

const DEFAULT_FOLDER = ".survey-export/demo";
/** What the demo writes. A file of an earlier demo is replaced. */
const FILES = ["config.json", "catalog.json", "first.jsonl", "second.jsonl", "report.html"];
/** Beside this file in the package. */
const BIN = fileURLToPath(new URL("source-survey-export.js", import.meta.url));

/** Runs the demo and returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function demo(words: readonly string[]): Promise<number> {
  const folder = folderIn(words);
  if (folder === undefined) {
    process.stderr.write("source-survey-export demo takes one option: --out FOLDER.\n");
    return 2;
  }
  try {
    const isLive = process.stdout.isTTY === true;
    await tellInto(folder, BIN, { isLive, write: (text) => process.stdout.write(text) });
    if (isLive) openInBrowser(join(folder, "report.html"));
    return 0;
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
    return 1;
  }
}

function folderIn(words: readonly string[]): string | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: { out: { type: "string" } } });
    return values.out === "" ? undefined : (values.out ?? DEFAULT_FOLDER);
  } catch {
    return undefined;
  }
}

/** Tells the story on a terminal and writes all files. The path of the page is the last line. */
export async function tellInto(folder: string, bin: string, terminal: Terminal): Promise<void> {
  await emptied(folder).catch((thrown: unknown) => {
    throw new Error(
      `${cannotWrite(folder, thrown)} Make it writable for this user, or name another one with --out.`,
    );
  });
  const report = await tell(folder, bin, terminal);
  const file = join(folder, "report.html");
  await writeFile(file, await page(report), { mode: 0o600 });
  terminal.write(`\nNPS and CSAT over time, what people wrote, and the requests, as a page:\n${file}\n`);
}

/** Makes the folder, for the owner alone, without the files of an earlier demo. */
async function emptied(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all(FILES.map((name) => rm(join(folder, name), { force: true })));
}

/** Opens a file in the browser of whoever sits here. Does nothing if there is no browser, or nobody. */
function openInBrowser(file: string): void {
  const { platform, env } = process;
  if (env.CI || (platform === "linux" && !env.DISPLAY && !env.WAYLAND_DISPLAY)) return;
  const opener = platform === "darwin" ? "open" : platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(opener, [resolve(file)], { stdio: "ignore", detached: true });
  child.on("error", () => {}); // The path stands on the last line.
  child.unref();
}
