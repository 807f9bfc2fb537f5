import { type Figure, median } from "./figure.ts";
import { bundled, run } from "./program.ts";
import { samePages } from "./same-pages.ts";

const TARGET = 1.35;

/** CPU seconds of `survey_answers` beside `survey_responses`, over `survey_responses` alone: the same pages. */
export const answers: Figure = {
  name: "answers",
  about: "CPU seconds of survey_answers beside survey_responses / survey_responses alone, real socket",
  async measure(size) {
    const { ids, pages, rounds, start } = samePages(size);
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const sandbox = await start(sandboxProgram);
    const secondsOf = async (streams: string): Promise<number> =>
      (await run(ours, [sandbox.url, sandbox.apiKey, streams, "keep", ...ids])).usage.cpuSeconds;
    await secondsOf("survey_responses");
    const shares: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const alone = await secondsOf("survey_responses");
      shares.push((await secondsOf("survey_responses,survey_answers")) / alone);
    }
    await sandbox.close();
    const share = median(shares);
    return {
      rows: [
        {
          figure: `CPU of survey_answers beside survey_responses / survey_responses alone, ${pages.toLocaleString("en")} pages, median of ${rounds}`,
          target: `≤ ${TARGET}`,
          measured: share.toFixed(2),
          met: share <= TARGET,
          kind: "real",
        },
      ],
      notes: [],
    };
  },
};
