import { type Figure, median } from "./figure.ts";
import { bundled, run } from "./program.ts";
import { samePages } from "./same-pages.ts";

const TARGETS = { plain: 0.9, gzip: 0.98 };

/**
 * CPU seconds of a bare program over ours, for the same pages, rendered beforehand by a sandbox in another process.
 */
export const cpu: Figure = {
  name: "cpu",
  about: "CPU seconds of a bare program / ours, same pages, five at once, real socket",
  async measure(size) {
    const { ids, pages, rounds, start } = samePages(size);
    const [sandboxProgram = "", ours = "", bare = ""] = await bundled("sandbox", "ours", "bare");
    const rows = [];
    const notes = [];
    for (const gzip of [false, true]) {
      const sandbox = await start(sandboxProgram, gzip);
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
        figure: `CPU of a bare program / ours, ${pages.toLocaleString("en")} pages, ${wire}, median of ${rounds}`,
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
