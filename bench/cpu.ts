import { type Figure, grouped, median, row, type Size } from "./figure.ts";
import { bundled, run, withSandbox } from "./program.ts";
import { survey, surveys } from "./service.ts";

const SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 5 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};
const COMPARED = [
  { streams: "survey_responses", gzip: false },
  { streams: "survey_responses,survey_answers", gzip: true },
];

/**
 * CPU seconds of a bare program over ours for the same rows, from the same pages, rendered beforehand by a sandbox in
 * another process. Many surveys, so that five slots are busy without a cut.
 */
export const cpu: Figure = {
  name: "cpu",
  about: "CPU seconds of a bare program / ours, same rows of the same pages, five at once",
  async measure(size) {
    const { pages, rounds, ...of } = SIZES[size];
    const { ours, bare } = await bundled();
    const all = surveys(of.surveys, (id) => survey(id, pages * 100));
    const shares: number[] = [];
    for (const { streams, gzip } of COMPARED) {
      const options = { surveys: all, limits: false, cachePages: true, gzip } as const;
      shares.push(
        await withSandbox(options, async ({ url, apiKey }) => {
          const words = [url, apiKey, streams, ...all.map(({ id }) => id)];
          await compareRows([bare, ours], words.slice(0, 4));
          // Has all pages rendered.
          await run([bare, ...words]);
          const ratios: number[] = [];
          for (let round = 0; round < rounds; round++) {
            const bareSeconds = (await run([bare, ...words])).cpuSeconds;
            ratios.push(bareSeconds / (await run([ours, ...words])).cpuSeconds);
          }
          return median(ratios);
        }),
      );
    }
    const title = `CPU of a bare program / ours, ${grouped(of.surveys * pages)} pages; with answers`;
    return [row("cpu", title, shares)];
  },
};

/** Throws if two programs do not write the same rows, in whatever order: then their CPU cannot be compared. */
async function compareRows(programs: readonly string[], words: readonly string[]): Promise<void> {
  const rows = programs.map(async (program) =>
    (await run([program, ...words], true)).records
      .map((line) => line.replace(/,"emitted_at":\d+/, ""))
      .sort(),
  );
  const [expected = [], written = []] = await Promise.all(rows);
  if (expected.length > 0 && expected.join() === written.join()) return;
  throw new Error(`The bare program wrote ${expected.length} rows, ours ${written.length}, and they differ.`);
}
