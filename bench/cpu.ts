import { type Figure, grouped, median, type Row, ratioRow, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { Rows } from "./rows.ts";
import { survey } from "./service.ts";

const SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 5 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};

/** The pages that CPU seconds are compared on. Many surveys, so that five slots are busy without a cut. */
export function samePages(size: Size) {
  const { surveys, pages, rounds } = SIZES[size];
  const ids = Array.from({ length: surveys }, (_, number) => String(number + 1));
  /** Starts a sandbox in another process that has all pages ready. `program`: its bundle. */
  const start = (program: string, gzip: boolean) =>
    startRemote(program, {
      surveys: ids.map((id) => survey(id, pages * 100)),
      ...{ limits: false, cachePages: true, gzip },
    });
  return { ids, pages: surveys * pages, rounds, start };
}

/** What both programs write, and how large a part of our CPU seconds the bare one's must be. */
const COMPARED = [
  { name: "plain", gzip: false, streams: "survey_responses", handling: "keep", target: 0.9 },
  { name: "gzip", gzip: true, streams: "survey_responses", handling: "keep", target: 0.9 },
  {
    ...{ name: "survey_answers beside survey_responses", gzip: true, target: 0.8 },
    ...{ streams: "survey_responses,survey_answers", handling: "keep" },
  },
  {
    ...{ name: "all personal data hashed", gzip: true, target: 0.75 },
    ...{ streams: "survey_responses", handling: "hash" },
  },
] as const;

/**
 * CPU seconds of a bare program over ours for the same rows, from the same pages, rendered beforehand by a sandbox in
 * another process.
 */
export const cpu: Figure = {
  name: "cpu",
  about: "CPU seconds of a bare program / ours, same rows of the same pages, five at once, real socket",
  async measure(size) {
    const { ids, pages, rounds, start } = samePages(size);
    const [sandboxProgram = "", ours = "", bare = ""] = await bundled("sandbox", "ours", "bare");
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const { name, gzip, streams, handling, target } of COMPARED) {
      const sandbox = await start(sandboxProgram, gzip);
      const words = [sandbox.url, sandbox.apiKey, streams, handling, ...ids];
      const secondsOf = async (program: string): Promise<number> =>
        (await run(program, words)).usage.cpuSeconds;
      const count = await sameRows(bare, ours, words);
      const bares: number[] = [];
      const all: number[] = [];
      for (let round = 0; round < rounds; round++) {
        bares.push(await secondsOf(bare));
        all.push(await secondsOf(ours));
      }
      await sandbox.close();
      const share = median(bares.map((seconds, round) => seconds / all[round]!));
      const of = `same rows of ${grouped(pages)} pages, ${name}, median of ${rounds}`;
      rows.push(ratioRow("real", `CPU of a bare program / ours, ${of}`, "≥", target, share));
      notes.push(
        `cpu, ${name}: bare ${median(bares).toFixed(2)} s, ours ${median(all).toFixed(2)} s (medians of pairs run in turn), ${grouped(count)} equal rows`,
      );
    }
    notes.push(
      "cpu, hashed: respondents differ and answers repeat in these pages; a text that repeats is hashed once. Each text that does not repeat costs one HMAC-SHA-256.",
    );
    return { rows, notes };
  },
};

/**
 * How many rows each of the two programs writes.
 *
 * @throws Error if they are not the same rows: then their CPU seconds cannot be compared
 */
export async function sameRows(other: string, ours: string, words: readonly string[]): Promise<number> {
  const [expected, written] = [new Rows(), new Rows()];
  await run(other, words, { onOutput: (chunk) => expected.take(chunk) });
  await run(ours, words, { onOutput: (chunk) => written.take(chunk) });
  if (expected.count === 0 || !written.equals(expected)) {
    throw new Error(
      `The other program wrote ${expected.count} rows, ours ${written.count}, and they differ.`,
    );
  }
  return expected.count;
}
