import { spawnSync } from "node:child_process";
import { type Figure, median, type Row, ratioRow, type Size } from "./figure.ts";
import { bundled, optionsOf, startRemote, withFiles } from "./program.ts";
import { survey } from "./service.ts";

const TARGET = 1.3;
const ROUNDS: Readonly<Record<Size, number>> = { full: 41, quick: 15, tiny: 1 };
const BIN = new URL("../dist/source-survey-export.js", import.meta.url).pathname;
const SURVEY = survey("1", 20);

/** How soon the shipped program answers: what needs nothing but itself, and what needs one request. */
export const start: Figure = {
  name: "start",
  about: "wall time of `spec` / wall time of `node -e 0`; of `check` and a quiet `read` / a bare program",
  async measure(size) {
    const [sandboxProgram = "", bare = ""] = await bundled("sandbox", "bare");
    const sandbox = await startRemote(sandboxProgram, { surveys: [SURVEY], limits: false });
    try {
      return await withFiles(async (file) => {
        const { url, apiKey } = sandbox;
        const settings = { base_url: url, api_key: apiKey, survey_ids: [SURVEY.id] };
        const config = optionsOf(file, { config: settings });
        const selected = { stream: STREAM, sync_mode: "incremental", destination_sync_mode: "append" };
        const read = ["read", ...config, ...optionsOf(file, { catalog: { streams: [selected] } })];
        const quiet = [...read, ...optionsOf(file, { state: outputOf([BIN, ...read]) })];
        const oneRequest = [bare, url, apiKey, "survey_responses", "keep", SURVEY.id];
        if (outputOf(oneRequest) === "") throw new Error("The bare program wrote nothing.");
        const rounds = ROUNDS[size];
        return {
          rows: [
            row("`spec`", [BIN, "spec"], "`node -e 0`", ["-e", "0"], rounds),
            row("`check`", [BIN, "check", ...config], "a bare program with one request", oneRequest, rounds),
            row("a quiet `read`", [BIN, ...quiet], "a bare program with one request", oneRequest, rounds),
          ],
          notes: [],
        };
      });
    } finally {
      await sandbox.close();
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
  const figure = `${name}, wall time against ${against}, median of ${rounds} pairs`;
  return ratioRow("real", figure, "≤", TARGET, median(ratios));
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
