import { type Figure, grouped, type Measurement, median, type Row, ratioRow, type Size } from "./figure.ts";
import { bundled, type RunOptions, run, startRemote } from "./program.ts";
import { survey } from "./service.ts";

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
    const [responses, people] = [await ofResponses(size), await ofPeople(size)];
    return {
      rows: [...responses.rows, ...people.rows],
      notes: [`memory: ${responses.notes}; ${people.notes} (in-process service, no socket)`],
    };
  },
};

async function ofResponses(size: Size): Promise<Measurement> {
  const { few, many, rounds } = SIZES[size];
  const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
  const surveys = [survey("1", few), survey("2", many)];
  const { url, apiKey, close } = await startRemote(sandboxProgram, { surveys, limits: false });
  const peak = async (id: string, times: number, options: RunOptions = {}): Promise<number> => {
    const peaks: number[] = [];
    for (let round = 0; round < times; round++) {
      const { usage } = await run(ours, [url, apiKey, "survey_responses", "keep", id], options);
      peaks.push(usage.peakMegabytes);
    }
    return median(peaks);
  };
  const small = await peak("1", Math.max(rounds, 3));
  const large = await peak("2", rounds);
  const slow = await peak("1", 1, { bytesPerSecond: SLOW_BYTES_PER_SECOND });
  await close();
  const growth = large / small;
  const slowReader = `peak memory, ${grouped(few)} responses, reader of stdout at ${SLOW_BYTES_PER_SECOND / 1e6} MB/s against a fast one`;
  return {
    rows: [
      {
        figure: `peak memory, ${grouped(many)} responses against ${grouped(few)}`,
        target: `≤ ${GROWTH}, ≤ ${MEGABYTES} MB`,
        measured: `${growth.toFixed(2)}, ${large.toFixed(0)} MB`,
        met: growth <= GROWTH && large <= MEGABYTES,
        kind: "real",
      },
      ratioRow("real", slowReader, "≤", SLOW_READER_GROWTH, slow / small),
    ],
    notes: [`${grouped(few)} responses ${small.toFixed(0)} MB`],
  };
}

async function ofPeople(size: Size): Promise<Measurement> {
  const { few, people, surveys } = SIZES[size];
  const [program = ""] = await bundled("people");
  const peak = async (...words: readonly (number | string)[]): Promise<number> =>
    (await run(program, words.map(String))).usage.peakMegabytes;
  const row = (figure: string, target: number, megabytes: number): Row => ({
    ...{ figure, target: `≤ ${target} MB`, measured: `${megabytes.toFixed(0)} MB` },
    ...{ met: megabytes <= target, kind: "simulated" },
  });
  const some = median([await peak(few), await peak(few), await peak(few)]);
  const crowd = await peak(people);
  const everybody = PEOPLE_OF_A_SURVEY * surveys;
  const inSurveys = await peak(everybody, surveys);
  const together = await peak(everybody, surveys, STREAMS_TOGETHER);
  const added = `memory added by ${grouped(people)} respondents in one sync, over ${grouped(few)}`;
  const each = `peak memory, ${grouped(surveys)} surveys with ${PEOPLE_OF_A_SURVEY} people each`;
  return {
    rows: [row(added, PEOPLE_MEGABYTES, crowd - some), row(each, SURVEYS_MEGABYTES, inSurveys)],
    notes: [
      `people: ${some.toFixed(0)} MB for ${grouped(few)}, ${crowd.toFixed(0)} MB for ${grouped(people)}; ${grouped(surveys)} surveys with the responses and both streams of people ${together.toFixed(0)} MB`,
    ],
  };
}
