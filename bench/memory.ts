import { type Figure, median, type Row, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

const SIZES: Readonly<
  Record<Size, { few: number; many: number; people: number; surveys: number; rounds: number }>
> = {
  full: { few: 10_000, many: 1_000_000, people: 1_000_000, surveys: 5000, rounds: 3 },
  quick: { few: 10_000, many: 100_000, people: 200_000, surveys: 400, rounds: 1 },
  tiny: { few: 500, many: 1000, people: 500, surveys: 5, rounds: 1 },
};
const GROWTH = 1.15;
/** With a slow reader of standard output. */
const SLOW_READER_GROWTH = 1.2;
const MEGABYTES = 130;
const PEOPLE_MEGABYTES = 90;
/** Of surveys with a hundred people each. */
const SURVEYS_MEGABYTES = 200;
const PEOPLE_OF_A_SURVEY = 100;
const STREAMS_TOGETHER = "survey_responses,respondent_responses,respondent_attributes";
const SLOW_BYTES_PER_SECOND = 8_000_000;

/** Peak memory of the client, resident, as the operating system counts it. */
export const memory: Figure = {
  name: "memory",
  about: "peak memory: many responses against few, a million people, many surveys, a slow reader of stdout",
  async measure(size) {
    const { few, many, people, surveys: surveyCount, rounds } = SIZES[size];
    const [sandboxProgram = "", ours = "", peopleProgram = ""] = await bundled("sandbox", "ours", "people");

    const surveys = [survey("1", few), survey("2", many)];
    const sandbox = await startRemote(sandboxProgram, { surveys, limits: false });
    const peak = async (id: string, options: Parameters<typeof run>[2], times = rounds): Promise<number> => {
      const peaks: number[] = [];
      for (let round = 0; round < times; round++) {
        const { usage } = await run(
          ours,
          [sandbox.url, sandbox.apiKey, "survey_responses", "keep", id],
          options,
        );
        peaks.push(usage.peakMegabytes);
      }
      return median(peaks);
    };
    const small = await peak("1", {}, Math.max(rounds, 3));
    const large = await peak("2", {});
    const slow = await peak("1", { bytesPerSecond: SLOW_BYTES_PER_SECOND }, 1);
    await sandbox.close();
    const peakOfPeople = async (...words: readonly (number | string)[]): Promise<number> =>
      (await run(peopleProgram, words.map(String), {})).usage.peakMegabytes;
    const some = median([await peakOfPeople(few), await peakOfPeople(few), await peakOfPeople(few)]);
    const crowd = await peakOfPeople(people);
    const everybody = PEOPLE_OF_A_SURVEY * surveyCount;
    const inSurveys = await peakOfPeople(everybody, surveyCount);
    const together = await peakOfPeople(everybody, surveyCount, STREAMS_TOGETHER);
    const notes = [
      `memory: ${few.toLocaleString("en")} responses ${small.toFixed(0)} MB; people: ${some.toFixed(0)} MB for ${few.toLocaleString("en")}, ${crowd.toFixed(0)} MB for ${people.toLocaleString("en")}; ${surveyCount.toLocaleString("en")} surveys with the responses and both streams of people ${together.toFixed(0)} MB (in-process service, no socket)`,
    ];

    const row = (
      figure: string,
      target: string,
      measured: string,
      met: boolean,
      kind: Row["kind"] = "real",
    ): Row => ({
      ...{ figure, target, measured, met, kind },
    });
    const growth = large / small;
    return {
      rows: [
        row(
          `peak memory, ${many.toLocaleString("en")} responses against ${few.toLocaleString("en")}`,
          `≤ ${GROWTH}, ≤ ${MEGABYTES} MB`,
          `${growth.toFixed(2)}, ${large.toFixed(0)} MB`,
          growth <= GROWTH && large <= MEGABYTES,
        ),
        row(
          `memory added by ${people.toLocaleString("en")} respondents in one sync, over ${few.toLocaleString("en")}`,
          `≤ ${PEOPLE_MEGABYTES} MB`,
          `${(crowd - some).toFixed(0)} MB`,
          crowd - some <= PEOPLE_MEGABYTES,
          "simulated",
        ),
        row(
          `peak memory, ${surveyCount.toLocaleString("en")} surveys with ${PEOPLE_OF_A_SURVEY} people each`,
          `≤ ${SURVEYS_MEGABYTES} MB`,
          `${inSurveys.toFixed(0)} MB`,
          inSurveys <= SURVEYS_MEGABYTES,
          "simulated",
        ),
        row(
          `peak memory, ${few.toLocaleString("en")} responses, reader of stdout at ${SLOW_BYTES_PER_SECOND / 1e6} MB/s against a fast one`,
          `≤ ${SLOW_READER_GROWTH}`,
          (slow / small).toFixed(2),
          slow / small <= SLOW_READER_GROWTH,
        ),
      ],
      notes,
    };
  },
};
