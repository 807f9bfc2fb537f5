import { type Figure, grouped, type Row, ratioRow, type Size } from "./figure.ts";
import { DENSITIES, survey } from "./service.ts";
import { plainRead, simulatedRead } from "./simulated-read.ts";

const LATENCY_MS = 250;
const SURVEYS: Readonly<Record<Size, readonly { count: number; target: number }[]>> = {
  full: [
    { count: 100_000, target: 4.7 },
    { count: 30_000, target: 3.9 },
  ],
  quick: [
    { count: 100_000, target: 4.7 },
    { count: 30_000, target: 3.9 },
  ],
  tiny: [{ count: 3000, target: 1 }],
};

/** How much sooner five at once are done with one survey than one page after another. */
export const speed: Figure = {
  name: "speed",
  about: `time of one walk / ours, one large survey at ${LATENCY_MS} ms latency, by density`,
  async measure(size) {
    const rows: Row[] = [];
    const notes: string[] = [];
    for (const { count, target } of SURVEYS[size]) {
      const all = [];
      for (const density of DENSITIES) {
        const of = { survey: survey("1", count, { density, content: "little" }), latencyMs: LATENCY_MS };
        const plain = await plainRead(of);
        const oneWalk = await simulatedRead({ ...of, read: { inOrder: true } });
        const ours = await simulatedRead(of);
        all.push({
          density,
          overWalk: oneWalk.tookMs / ours.tookMs,
          overPlain: plain.tookMs / ours.tookMs,
        });
      }
      const slowest = Math.min(...all.map(({ overWalk }) => overWalk));
      const responses = grouped(count);
      const figure = `speed-up over one walk, ${responses} responses, ${LATENCY_MS} ms latency, worst of ${all.length} densities`;
      rows.push(ratioRow("simulated", figure, "≥", target, slowest));
      notes.push(
        `speed, ${responses} responses, over one walk (over a plain loop along next_url): ${all
          .map(
            ({ density, overWalk, overPlain }) =>
              `${density} ${overWalk.toFixed(2)} (${overPlain.toFixed(2)})`,
          )
          .join(", ")}`,
      );
    }
    return { rows, notes };
  },
};
