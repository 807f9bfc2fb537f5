import { createClient, createRecordTreatment, timestampOfMs } from "@survey-export/core";
import { requireConfiguration } from "../connector/airbyte/configuration.ts";
import { MessageWriter } from "../connector/airbyte/message-writer.ts";
import { readFrom } from "../connector/airbyte/read.ts";
import { createHash, machineClock } from "../connector/node/machine.ts";
import { type Figure, grouped, median, row, type Size } from "./figure.ts";

const SIZES: Readonly<Record<Size, { surveys: number[]; holes: number[]; rounds: number }>> = {
  full: { surveys: [1000, 5000], holes: [1000, 10_000, 50_000], rounds: 3 },
  quick: { surveys: [1000, 5000], holes: [1000, 4000, 10_000], rounds: 3 },
  tiny: { surveys: [20, 100], holes: [20, 100, 200], rounds: 1 },
};
const STREAM = "survey_responses";
const NEWEST_MS = Date.UTC(2026, 0, 1);
/** From one hole to the next. Half of it was read, and the other half holds a response. */
const HOLE_EVERY_MS = 60_000;

/**
 * CPU as a power of how much there is: 1 if twice as much takes twice as long. Requests take nothing, so that they do
 * not hide what grows faster.
 */
export const exponents: Figure = {
  name: "exponents",
  about: "CPU of a sync / number of surveys with a page each, and of holes in a state, as exponents",
  async measure(size) {
    const { rounds, ...of } = SIZES[size];
    const [few = 0, many = 0] = of.surveys;
    const [least = 0, more = 0, most = 0] = of.holes;
    const states = new Map<number, unknown>();
    const first = async (count: number): Promise<number> => {
      const { seconds, state } = await readAll(idsUpTo(count));
      states.set(count, state);
      return seconds;
    };
    const quiet = async (count: number) => (await readAll(idsUpTo(count), states.get(count))).seconds;
    const holes = async (count: number) => (await readAll(["1"], withHoles(count))).seconds;
    const exponent = async (seconds: (count: number) => Promise<number>, small: number, large: number) => {
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const of = await seconds(small);
        ratios.push(Math.log((await seconds(large)) / of) / Math.log(large / small));
      }
      return median(ratios);
    };
    // Compiles what is measured.
    await first(few);
    await holes(least);
    const ofSurveys = [await exponent(first, few, many), await exponent(quiet, few, many)];
    const ofHoles = [await exponent(holes, least, more), await exponent(holes, more, most)];
    const surveysTitle = `exponent of CPU, ${grouped(few)} to ${grouped(many)} surveys: first; quiet sync`;
    const holesTitle = `exponent of CPU, ${grouped(least)} to ${grouped(more)}; to ${grouped(most)} holes`;
    return [row("surveys", surveysTitle, ofSurveys), row("holes", holesTitle, ofHoles)];
  },
};

const idsUpTo = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at + 1));
const timeOf = (ms: number): string => timestampOfMs(ms);

/** The state of a survey with so many holes. */
function withHoles(count: number): object {
  const oldestMs = NEWEST_MS - count * HOLE_EVERY_MS;
  const read = Array.from({ length: count }, (_, at) => {
    const ms = oldestMs + at * HOLE_EVERY_MS;
    return [at === 0 ? null : timeOf(ms), timeOf(ms + HOLE_EVERY_MS / 2)];
  });
  return { version: 1, surveys: { "1": read } };
}

/** Reads the surveys from a service that answers at once, with one response in each list and hole. */
async function readAll(surveyIds: readonly string[], before?: unknown) {
  const { selection, personalData, service } = requireConfiguration({
    base_url: "https://service.example/v2",
    api_key: "key",
    survey_ids: surveyIds,
  });
  const host = { clock: machineClock, transport: answer, log: () => {} };
  let state = "";
  const output = {
    async write(lines: string | Uint8Array) {
      if (typeof lines === "string" && lines.startsWith('{"type":"STATE"')) state = lines;
    },
  };
  const began = process.cpuUsage();
  const complete = await readFrom(
    createClient(host, { ...service, requestsPerMinute: Number.POSITIVE_INFINITY }),
    {
      selection,
      selected: [{ name: STREAM, syncMode: "incremental" }],
      states: new Map(before === undefined ? [] : [[STREAM, before]]),
      treatment: createRecordTreatment(personalData, createHash("")),
    },
    new MessageWriter(output, machineClock),
    new AbortController().signal,
  );
  const { user, system } = process.cpuUsage(began);
  if (!complete) throw new Error("The sync was not complete.");
  return { seconds: (user + system) / 1e6, state: JSON.parse(state).state.stream.stream_state as unknown };
}

async function answer({ url }: { readonly url: string }) {
  const start = new URL(url).searchParams.get("start");
  const newestMs = start === null ? NEWEST_MS : Math.min(NEWEST_MS, Date.parse(start) - HOLE_EVERY_MS / 4);
  const id = /surveys\/(\d+)\//.exec(url)![1];
  const response = {
    uuid: `${id}-${newestMs}`,
    collected_at: timeOf(newestMs),
    answers: [],
    attributes: [],
    respondent: { uuid: "somebody", attributes: [] },
  };
  const body = JSON.stringify({ pagination_data: { has_more: false }, data: [response] });
  return { status: 200, headers: { date: new Date().toUTCString() }, body };
}
