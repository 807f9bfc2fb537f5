import { type Figure, median, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

const TARGETS = { plain: 0.9, gzip: 0.98 };
const SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 7 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};

/**
 * CPU seconds of a bare program over ours, for the same pages, rendered beforehand by a sandbox in another process.
 * Many surveys, so that five slots are busy without a cut and both ask for the very same pages.
 */
export const cpu: Figure = {
  name: "cpu",
  about: "CPU seconds of a bare program / ours, same pages, five at once, real socket",
  async measure(size) {
    const { surveys, pages, rounds } = SIZES[size];
    const ids = Array.from({ length: surveys }, (_, number) => String(number + 1));
    const [sandboxProgram = "", ours = "", bare = ""] = await bundled("sandbox", "ours", "bare");
    const rows = [];
    const notes = [];
    for (const gzip of [false, true]) {
      const options = {
        surveys: ids.map((id) => survey(id, pages * 100)),
        limits: false,
        cachePages: true,
        gzip,
      };
      const sandbox = await startRemote(sandboxProgram, options);
      const runBare = () => run(bare, [sandbox.url, sandbox.apiKey, ...ids]);
      const runOurs = () => run(ours, [sandbox.url, sandbox.apiKey, "survey_responses", "keep", ...ids]);
      await runBare();
      await runOurs();
      const bares: number[] = [];
      const all: number[] = [];
      for (let round = 0; round < rounds; round++) {
        bares.push((await runBare()).usage.cpuSeconds);
        all.push((await runOurs()).usage.cpuSeconds);
      }
      await sandbox.close();
      const share = median(bares.map((seconds, round) => seconds / all[round]!));
      const wire = gzip ? "gzip" : "plain";
      const target = TARGETS[wire];
      rows.push({
        figure: `CPU of a bare program / ours, ${(surveys * pages).toLocaleString("en")} pages, ${wire}, median of ${rounds}`,
        target: `≥ ${target}`,
        measured: share.toFixed(2),
        met: share >= target,
        kind: "real" as const,
      });
      notes.push(
        `cpu, ${wire}: bare ${median(bares).toFixed(2)} s, ours ${median(all).toFixed(2)} s (medians of pairs run in turn)`,
      );
    }
    return { rows, notes };
  },
};
