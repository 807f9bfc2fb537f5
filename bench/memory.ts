import type { SurveyOptions } from "../sandbox/index.ts";
import { type Figure, grouped, row, type Size } from "./figure.ts";
import { bundled, run, withSandbox } from "./program.ts";
import { survey, surveys } from "./service.ts";

const SIZES: Readonly<Record<Size, { responses: number; surveys: number; people: number }>> = {
  full: { responses: 1_000_000, surveys: 5000, people: 200_000 },
  quick: { responses: 100_000, surveys: 400, people: 50_000 },
  tiny: { responses: 1000, surveys: 5, people: 1000 },
};
const PEOPLE_OF_A_SURVEY = 100;
const FEW_PEOPLE = 500;

/** Peak memory of the program, resident, as the operating system counts it. */
export const memory: Figure = {
  name: "memory",
  about: "peak memory: many responses, many surveys with a hundred people each, very many people",
  async measure(size) {
    const { responses, people, ...of } = SIZES[size];
    const { ours } = await bundled();
    const peak = (streams: string, all: readonly SurveyOptions[]): Promise<number> =>
      withSandbox({ surveys: all, limits: false }, async ({ url, apiKey }) => {
        const words = [ours, url, apiKey, streams, ...all.map(({ id }) => id)];
        return (await run(words)).peakMegabytes;
      });
    const megabytes = [
      await peak("survey_responses", [survey("1", responses)]),
      await peak("respondent_attributes", ofStrangers(of.surveys, PEOPLE_OF_A_SURVEY)),
      (await peak("respondent_attributes", ofStrangers(20, people / 20))) -
        (await peak("respondent_attributes", ofStrangers(20, FEW_PEOPLE / 20))),
    ];
    const title = `peak memory: ${grouped(responses)} responses; ${grouped(of.surveys)} surveys; added by ${grouped(people)} people`;
    return [row("memory", title, megabytes)];
  },
};

/** So many surveys with so many people each. A response each second, each of somebody else. */
const ofStrangers = (count: number, people: number): SurveyOptions[] =>
  surveys(count, (id) => ({
    id,
    content: "little",
    responses: Array.from({ length: people }, (_, place) => ({
      collected_at: `${new Date(Date.UTC(2026, 0, 1) - place * 1000).toISOString().slice(0, -1)}000Z`,
      respondent_uuid: `${id.padStart(8, "0")}-0000-4000-8000-${String(place).padStart(12, "0")}`,
    })),
  }));
