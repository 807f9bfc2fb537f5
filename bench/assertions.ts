import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { samePages, sameRows } from "./cpu.ts";
import { type Figure, grouped, median, ratioRow } from "./figure.ts";
import { bundled, bundledWith, run } from "./program.ts";

const TARGET = 0.99;

/** CPU seconds of the program without its assertions over those of the program as it is, for the same pages. */
export const assertions: Figure = {
  name: "assertions",
  about: "CPU seconds without the core's assertions / with them, same pages, five at once, real socket",
  async measure(size) {
    const { ids, pages, rounds, start } = samePages(size);
    const pairs = 4 * rounds;
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const { plugin, taken } = withoutAssertions();
    const [without = ""] = await bundledWith(plugin, "without-assertions/", "ours");
    if (taken.count === 0)
      throw new Error("No assertion was found in the core, so there is nothing to compare.");
    const sandbox = await start(sandboxProgram, true);
    const words = [sandbox.url, sandbox.apiKey, "survey_responses", "keep", ...ids];
    const secondsOf = async (program: string): Promise<number> =>
      (await run(program, words)).usage.cpuSeconds;
    await sameRows(without, ours, words);
    const shares: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      // In turn, because the second of two is often a little faster.
      const isFirst = pair % 2 === 0;
      const one = await secondsOf(isFirst ? without : ours);
      const other = await secondsOf(isFirst ? ours : without);
      shares.push(isFirst ? one / other : other / one);
    }
    await sandbox.close();
    const share = median(shares);
    const middle = shares.toSorted((a, b) => a - b).slice(Math.floor(pairs / 4), Math.ceil((3 * pairs) / 4));
    const [low, high] = [middle[0]!, middle.at(-1)!].map((each) => each.toFixed(3));
    return {
      rows: [
        ratioRow(
          "real",
          `CPU without the core's assertions / with them, ${grouped(pages)} pages, median of ${pairs} pairs`,
          "≥",
          TARGET,
          share,
          3,
        ),
      ],
      notes: [
        `assertions: ${taken.count} calls of \`invariant\` are taken out of the core for the comparison; the middle half of the pairs is ${low} to ${high}`,
      ],
    };
  },
};

/** Takes each statement `invariant(…);` out of the core, and counts them. */
function withoutAssertions(): { readonly plugin: Plugin; readonly taken: { count: number } } {
  const taken = { count: 0 };
  const stripped = (source: string): string =>
    source.replace(/^\s*invariant\([^;]*\);$/gm, () => {
      taken.count++;
      return "";
    });
  const plugin: Plugin = {
    name: "without-assertions",
    setup: ({ onLoad }) =>
      onLoad({ filter: /connector\/core\/.*\.ts$/ }, async ({ path }) => ({
        contents: stripped(await readFile(path, "utf8")),
        loader: "ts",
      })),
  };
  return { plugin, taken };
}
