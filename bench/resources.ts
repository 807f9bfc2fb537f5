import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { SurveyOptions } from "../sandbox/index.ts";
import { type Figure, grouped, median, row, type Size } from "./figure.ts";
import { inNewFolder } from "./folder.ts";
import { BARE, bundled, catalogOf, fileOf, isRecord, node, optionsOf, run, SHIPPED } from "./program.ts";
import { survey, surveys, withSandbox } from "./sandbox.ts";

const CPU_SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 5 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};

/**
 * CPU seconds of a bare program over ours for the same rows, from the same pages, rendered beforehand by a sandbox in
 * another process. Many surveys, so that five slots are busy without a cut.
 */
export const cpu: Figure = {
  name: "cpu",
  about: "CPU seconds of a bare program / ours, same rows of the same pages, five at once",
  async measure(size) {
    const { pages, rounds, ...of } = CPU_SIZES[size];
    const { ours, bare } = await bundled();
    const all = surveys(of.surveys, (id) => survey(id, pages * 100));
    const options = { surveys: all, limits: false, cachePages: true } as const;
    const share = await withSandbox(options, async ({ url, apiKey }) => {
      const words = [url, apiKey, "survey_responses", ...all.map(({ id }) => id)];
      await compareRows([bare, ours], words.slice(0, 4));
      // Has all pages rendered.
      await run(node(bare, ...words));
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const bareSeconds = (await run(node(bare, ...words))).cpuSeconds;
        ratios.push(bareSeconds / (await run(node(ours, ...words))).cpuSeconds);
      }
      return median(ratios);
    });
    return [row("cpu", `CPU of a bare program / ours, ${grouped(of.surveys * pages)} pages`, [share])];
  },
};

/** Throws if two programs do not write the same rows, in whatever order: then their CPU cannot be compared. */
async function compareRows(programs: readonly string[], words: readonly string[]): Promise<void> {
  const rows = programs.map(async (program) => {
    const { lines } = await run(node(program, ...words), { keepsOutput: true });
    return lines
      .filter(isRecord)
      .map((line) => line.replace(/,"emitted_at":\d+/, ""))
      .sort();
  });
  const [expected = [], written = []] = await Promise.all(rows);
  if (expected.length > 0 && expected.join() === written.join()) return;
  throw new Error(`The bare program wrote ${expected.length} rows, ours ${written.length}, and they differ.`);
}

const MEMORY_SIZES: Readonly<Record<Size, { responses: number; surveys: number; people: number }>> = {
  full: { responses: 1_000_000, surveys: 5000, people: 200_000 },
  quick: { responses: 100_000, surveys: 400, people: 50_000 },
  tiny: { responses: 1000, surveys: 5, people: 1000 },
};
const PEOPLE_OF_A_SURVEY = 100;
const FEW_PEOPLE = 500;

/** Peak memory of the program. */
export const memory: Figure = {
  name: "memory",
  about: "peak memory: many responses, many surveys with a hundred people each, very many people",
  async measure(size) {
    const { responses, people, ...of } = MEMORY_SIZES[size];
    const { ours } = await bundled();
    const peak = (streams: string, all: readonly SurveyOptions[]): Promise<number> =>
      withSandbox({ surveys: all, limits: false }, async ({ url, apiKey }) => {
        const words = [ours, url, apiKey, streams, ...all.map(({ id }) => id)];
        return (await run(node(...words))).peakMegabytes;
      });
    const megabytes = [
      await peak("survey_responses", [survey("1", responses)]),
      await peak("respondent_attributes", ofStrangers(of.surveys, PEOPLE_OF_A_SURVEY)),
      (await peak("respondent_attributes", ofStrangers(20, people / 20))) -
        (await peak("respondent_attributes", ofStrangers(20, FEW_PEOPLE / 20))),
    ];
    const title = `peak memory: ${grouped(responses)} responses; ${grouped(of.surveys)} surveys; added by ${grouped(people)} people`;
    return [row("memory", title, megabytes)];
  },
};

/** So many surveys with so many people each. A response each second, each of somebody else. */
const ofStrangers = (count: number, people: number): SurveyOptions[] =>
  surveys(count, (id) => ({
    id,
    content: "little",
    responses: Array.from({ length: people }, (_, place) => ({
      collected_at: `${new Date(Date.UTC(2026, 0, 1) - place * 1000).toISOString().slice(0, -1)}000Z`,
      respondent_uuid: `${id.padStart(8, "0")}-0000-4000-8000-${String(place).padStart(12, "0")}`,
    })),
  }));

const TABLES_SIZES: Readonly<Record<Size, { paced: number; fast: number; rounds: number }>> = {
  full: { paced: 100_000, fast: 50_000, rounds: 3 },
  quick: { paced: 40_000, fast: 40_000, rounds: 1 },
  tiny: { paced: 500, fast: 500, rounds: 1 },
};

/** What a SQLite file costs instead of messages in a file: as the rate limit lets a sync run, and without a wait for it. */
export const tables: Figure = {
  name: "tables",
  about: "wall time of `sync surveys.sqlite` / of `read` into a file, and its peak memory",
  async measure(size) {
    const { paced, fast, rounds } = TABLES_SIZES[size];
    const long = await compareWithMessages(paced, 1);
    const short = await compareWithMessages(fast, rounds);
    const title = `\`sync surveys.sqlite\` / \`read\` into a file, ${grouped(paced)} responses; ${grouped(fast)}, below the rate limit; peak memory`;
    return [row("tables", title, [long.ratio, short.ratio, long.peakMegabytes])];
  },
};

/** The median ratio of so many rounds. */
async function compareWithMessages(responses: number, rounds: number) {
  const options = { surveys: [survey("1", responses)], limits: false, cachePages: true } as const;
  return withSandbox(options, async ({ url, apiKey }) => {
    const config = fileOf({ base_url: url, api_key: apiKey });
    const source = ["--config", config, "--streams", "survey_responses,survey_answers"];
    const sync = (folder: string) => run(node(SHIPPED, "sync", join(folder, "surveys.sqlite"), ...source));
    const read = (folder: string) =>
      run(intoFile(join(folder, "messages.jsonl"), node(SHIPPED, "read", ...source)));
    await inNewFolder(read); // has all pages rendered
    const ratios: number[] = [];
    let peakMegabytes = 0;
    for (let round = 0; round < rounds; round++) {
      const messages = await inNewFolder(read);
      const file = await inNewFolder(sync);
      ratios.push(file.tookMs / messages.tookMs);
      peakMegabytes = Math.max(peakMegabytes, file.peakMegabytes);
    }
    return { ratio: median(ratios), peakMegabytes };
  });
}

/** The command with its output in a file. */
const intoFile = (path: string, command: readonly string[]): string[] => [
  ...["sh", "-c", 'path=$1; shift; exec "$@" >"$path"', "sh"],
  path,
  ...command,
];

const START_ROUNDS: Readonly<Record<Size, number>> = { full: 25, quick: 15, tiny: 1 };

/** How soon the shipped program answers: what needs nothing but itself, and what needs one request. */
export const start: Figure = {
  name: "start",
  about: "wall time of `spec` / `node -e 0`; of `check` and a quiet `read` / a bare program with one request",
  measure: (size) =>
    withSandbox({ surveys: [survey("1", 20)], limits: false }, async ({ url, apiKey }) => {
      const rounds = START_ROUNDS[size];
      const config = optionsOf({ config: { base_url: url, api_key: apiKey, survey_ids: ["1"] } });
      const read = [SHIPPED, "read", ...config, ...optionsOf({ catalog: catalogOf("survey_responses") })];
      const programs = {
        nothing: ["-e", "0"],
        spec: [SHIPPED, "spec"],
        bare: [BARE, url, apiKey, "unnamed", "1"],
        check: [SHIPPED, "check", ...config],
        read: [...read, ...optionsOf({ state: outputOf(read) })],
      };
      const ms: Record<string, number[]> = { nothing: [], spec: [], bare: [], check: [], read: [] };
      for (let round = 0; round < rounds; round++) {
        for (const [name, words] of Object.entries(programs)) {
          const beganMs = performance.now();
          outputOf(words);
          ms[name]!.push(performance.now() - beganMs);
        }
      }
      const ratio = (name: string, other: string): number =>
        median(ms[name]!.map((took, round) => took / ms[other]![round]!));
      return [
        row("spec", "`spec` / `node -e 0`", [ratio("spec", "nothing")]),
        row("oneRequest", "`check`; quiet `read` / a bare program", [
          ratio("check", "bare"),
          ratio("read", "bare"),
        ]),
      ];
    }),
};

/** Runs Node with these words, and throws if it fails or writes nothing but should. */
function outputOf(words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0 || (stdout === "" && words[0] !== "-e"))
    throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}
