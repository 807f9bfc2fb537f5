import { type Figure, median, type Row } from "./figure.ts";
import { bundled, run } from "./program.ts";
import { Rows } from "./rows.ts";
import { samePages } from "./same-pages.ts";

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
      rows.push({
        figure: `CPU of a bare program / ours, same rows of ${pages.toLocaleString("en")} pages, ${name}, median of ${rounds}`,
        target: `≥ ${target}`,
        measured: share.toFixed(2),
        met: share >= target,
        kind: "real",
      });
      notes.push(
        `cpu, ${name}: bare ${median(bares).toFixed(2)} s, ours ${median(all).toFixed(2)} s (medians of pairs run in turn), ${count.toLocaleString("en")} equal rows`,
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
async function sameRows(bare: string, ours: string, words: readonly string[]): Promise<number> {
  const [expected, written] = [new Rows(), new Rows()];
  await run(bare, words, { onOutput: (chunk) => expected.take(chunk) });
  await run(ours, words, { onOutput: (chunk) => written.take(chunk) });
  if (expected.count === 0 || !written.equals(expected)) {
    throw new Error(`The bare program wrote ${expected.count} rows, ours ${written.count}, and they differ.`);
  }
  return expected.count;
}
