import { parseTimestamp } from "@survey-export/core";
import type { Figure, Size } from "./figure.ts";
import { simulatedRead } from "./simulated-read.ts";
import { DENSITIES, FROM, survey } from "./survey.ts";

const RESPONSES: Readonly<Record<Size, number>> = { full: 100_000, quick: 100_000, tiny: 3000 };
const TARGET = 1.03;

/** Requests made for one survey, against as many as it has pages. */
export const requests: Figure = {
  name: "requests",
  about: "requests made / fewest possible, one large survey, by density",
  async measure(size) {
    const count = RESPONSES[size];
    const fewest = Math.ceil(count / 100);
    const rows = [];
    const notes = [];
    for (const startDate of [undefined, parseTimestamp(FROM)]) {
      const which = startDate === undefined ? "no start date" : "start date";
      const ratios = new Map<string, number>();
      for (const density of DENSITIES) {
        const result = await simulatedRead({
          survey: survey("1", count, { density, content: "little" }),
          latencyMs: 250,
          read: { startDate },
        });
        if (result.records !== count)
          throw new Error(`${density}: ${result.records} of ${count} records came.`);
        ratios.set(density, result.requests / fewest);
      }
      const worst = Math.max(...ratios.values());
      rows.push({
        figure: `requests / fewest possible, ${count.toLocaleString("en")} responses, worst of ${ratios.size} densities, ${which}`,
        target: `≤ ${TARGET}`,
        measured: worst.toFixed(3),
        met: worst <= TARGET,
        kind: "simulated" as const,
      });
      notes.push(
        `requests, ${which}: ${[...ratios].map(([density, ratio]) => `${density} ${ratio.toFixed(3)}`).join(", ")}`,
      );
    }
    return { rows, notes };
  },
};
