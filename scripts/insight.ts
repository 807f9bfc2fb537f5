interface AnswerFields {
  readonly survey_name?: unknown;
  readonly survey_id?: unknown;
  readonly nps_tag?: unknown;
}

const BAR_WIDTH = 30;

/**
 * The NPS of each survey as lines for a terminal, best first, from records of `survey_answers`; each record counts
 * once, so give each answer once. Undefined where no record is an NPS answer.
 */
export function npsBySurvey(answers: Iterable<AnswerFields>): string | undefined {
  const surveys = new Map<string, { promoter: number; passive: number; detractor: number }>();
  for (const { survey_name, survey_id, nps_tag: tag } of answers) {
    if (tag !== "promoter" && tag !== "passive" && tag !== "detractor") continue;
    const name = String(survey_name ?? survey_id);
    const counts = surveys.get(name) ?? { promoter: 0, passive: 0, detractor: 0 };
    counts[tag] += 1;
    surveys.set(name, counts);
  }
  if (surveys.size === 0) return undefined;
  const width = Math.max(...[...surveys.keys()].map((name) => name.length));
  const lines = [...surveys].map(([name, { promoter, passive, detractor }]) => {
    const total = promoter + passive + detractor;
    const nps = Math.round((100 * (promoter - detractor)) / total);
    const unhappy = Math.round((BAR_WIDTH * detractor) / total);
    const happy = Math.min(Math.round((BAR_WIDTH * promoter) / total), BAR_WIDTH - unhappy);
    const bar = "░".repeat(unhappy) + "▒".repeat(BAR_WIDTH - unhappy - happy) + "█".repeat(happy);
    const score = `${nps > 0 ? "+" : ""}${nps}`;
    return { nps, line: `${name.padEnd(width)}  ${score.padStart(4)}  ${bar}  ${total} answers` };
  });
  const sorted = lines.toSorted((one, other) => other.nps - one.nps).map(({ line }) => `  ${line}`);
  return ["NPS by survey (░ detractors  ▒ passives  █ promoters):", ...sorted].join("\n");
}
