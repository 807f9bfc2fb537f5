import { type Figure, median, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

const TARGET = 1.35;
const SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 7 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};

/** CPU seconds of `survey_answers` beside `survey_responses`, over `survey_responses` alone: the same pages. */
export const answers: Figure = {
  name: "answers",
  about: "CPU seconds of survey_answers beside survey_responses / survey_responses alone, real socket",
  async measure(size) {
    const { surveys, pages, rounds } = SIZES[size];
    const ids = Array.from({ length: surveys }, (_, number) => String(number + 1));
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const options = { surveys: ids.map((id) => survey(id, pages * 100)), limits: false, cachePages: true };
    const sandbox = await startRemote(sandboxProgram, options);
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
          figure: `CPU of survey_answers beside survey_responses / survey_responses alone, ${(surveys * pages).toLocaleString("en")} pages, median of ${rounds}`,
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
