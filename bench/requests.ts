import { parseTimestamp } from "@survey-export/core";
import type { Figure, Row, Size } from "./figure.ts";
import { quietSync } from "./quiet-sync.ts";
import { simulatedRead } from "./simulated-read.ts";
import { DENSITIES, FROM, survey } from "./survey.ts";

const RESPONSES: Readonly<Record<Size, number>> = { full: 100_000, quick: 100_000, tiny: 3000 };
const TARGET = 1.03;
const SURVEYS: Readonly<Record<Size, number>> = { full: 300, quick: 300, tiny: 10 };
const QUIET_TARGET = 1.05;

/** Requests made for one survey, against as many as it has pages; and for many surveys of which nothing is new. */
export const requests: Figure = {
  name: "requests",
  about: "requests made / fewest possible, one large survey, by density; a quiet sync of many surveys",
  async measure(size) {
    const count = RESPONSES[size];
    const fewest = Math.ceil(count / 100);
    const rows: Row[] = [];
    const notes: string[] = [];
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
        kind: "simulated",
      });
      notes.push(
        `requests, ${which}: ${[...ratios].map(([density, ratio]) => `${density} ${ratio.toFixed(3)}`).join(", ")}`,
      );
    }
    const quiet = await quietSyncs(SURVEYS[size]);
    return { rows: [...rows, ...quiet.rows], notes: [...notes, ...quiet.notes] };
  },
};

/**
 * A survey of which nothing is new needs one request. The newest response lies in the lookback, which no state covers
 * (I5), so that a stream of people reads once more whoever gave one of the responses there.
 */
async function quietSyncs(surveys: number): Promise<{ rows: Row[]; notes: string[] }> {
  const alone = await quietSync(surveys, ["survey_responses"]);
  const all = await quietSync(surveys, [
    "survey_responses",
    "survey_answers",
    "respondent_responses",
    "respondent_attributes",
  ]);
  const row = (figure: string, ratio: number): Row => ({
    figure,
    target: `≤ ${QUIET_TARGET}`,
    measured: ratio.toFixed(3),
    met: ratio <= QUIET_TARGET,
    kind: "simulated",
  });
  return {
    rows: [
      row(`requests / surveys, quiet sync of ${surveys} surveys, survey_responses`, alone.requests / surveys),
      row(
        `requests / (surveys + twice the people in the lookback), quiet sync of ${surveys} surveys, the four default streams`,
        all.requests / (surveys + 2 * all.people),
      ),
    ],
    notes: [
      `requests, quiet sync of ${surveys} surveys: ${alone.requests}; with the streams of people ${all.requests}, since the lookback shows ${all.people} people and both streams read each of them`,
    ],
  };
}
