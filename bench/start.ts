import { spawnSync } from "node:child_process";
import { type Figure, median, type Size } from "./figure.ts";

const TARGET = 1.35;
const ROUNDS: Readonly<Record<Size, number>> = { full: 41, quick: 15, tiny: 1 };
const BIN = new URL("../dist/source-survey-export.js", import.meta.url).pathname;

/** How soon the shipped program answers the question that needs nothing but itself. */
export const start: Figure = {
  name: "start",
  about: "wall time of `spec` / wall time of `node -e 0`, the built program",
  async measure(size) {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS[size]; round++) {
      const empty = wallMs(["-e", "0"]);
      ratios.push(wallMs([BIN, "spec"]) / empty);
    }
    const ratio = median(ratios);
    return {
      rows: [
        {
          figure: `\`spec\`, wall time against \`node -e 0\`, median of ${ROUNDS[size]} pairs`,
          target: `≤ ${TARGET}`,
          measured: ratio.toFixed(2),
          met: ratio <= TARGET,
          kind: "real",
        },
      ],
      notes: [],
    };
  },
};

function wallMs(words: readonly string[]): number {
  const beganMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - beganMs;
}
