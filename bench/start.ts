import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, median, type Row, type Size } from "./figure.ts";
import { bundled, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

const TARGET = 1.3;
const ROUNDS: Readonly<Record<Size, number>> = { full: 41, quick: 15, tiny: 1 };
const BIN = new URL("../dist/source-survey-export.js", import.meta.url).pathname;
const SURVEY = survey("1", 20);

/** How soon the shipped program answers: what needs nothing but itself, and what needs one request. */
export const start: Figure = {
  name: "start",
  about: "wall time of `spec` / wall time of `node -e 0`; of `check` and a quiet `read` / a bare program",
  async measure(size) {
    const folder = mkdtempSync(join(tmpdir(), "survey-export-start-"));
    const [sandboxProgram = "", bare = ""] = await bundled("sandbox", "bare");
    const sandbox = await startRemote(sandboxProgram, { surveys: [SURVEY], limits: false });
    try {
      const file = (name: string, content: string): string => {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      };
      const { url, apiKey } = sandbox;
      const settings = { base_url: url, api_key: apiKey, survey_ids: [SURVEY.id] };
      const config = ["--config", file("config.json", JSON.stringify(settings))];
      const selected = { stream: STREAM, sync_mode: "incremental", destination_sync_mode: "append" };
      const catalog = file("catalog.json", JSON.stringify({ streams: [selected] }));
      const read = ["read", ...config, "--catalog", catalog];
      const quiet = [...read, "--state", file("state.jsonl", outputOf([BIN, ...read]))];
      const oneRequest = [bare, url, apiKey, SURVEY.id];
      const rounds = ROUNDS[size];
      return {
        rows: [
          row("`spec`", [BIN, "spec"], "`node -e 0`", ["-e", "0"], rounds),
          row("`check`", [BIN, "check", ...config], "a bare program with one request", oneRequest, rounds),
          row("a quiet `read`", [BIN, ...quiet], "a bare program with one request", oneRequest, rounds),
        ],
        notes: [],
      };
    } finally {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    }
  },
};

const STREAM = { name: "survey_responses", json_schema: {}, supported_sync_modes: ["incremental"] };

/** The median of pairs that are run in turn. */
function row(
  name: string,
  words: readonly string[],
  against: string,
  otherWords: readonly string[],
  rounds: number,
): Row {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const other = wallMs(otherWords);
    ratios.push(wallMs(words) / other);
  }
  const ratio = median(ratios);
  return {
    figure: `${name}, wall time against ${against}, median of ${rounds} pairs`,
    target: `≤ ${TARGET}`,
    measured: ratio.toFixed(2),
    met: ratio <= TARGET,
    kind: "real",
  };
}

function wallMs(words: readonly string[]): number {
  const beganMs = performance.now();
  outputOf(words);
  return performance.now() - beganMs;
}

function outputOf(words: readonly string[]): string {
  // The bare program tells its usage on descriptor 3.
  const stdio = ["ignore", "pipe", "pipe", "pipe"] as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    stdio: [...stdio],
  });
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}
