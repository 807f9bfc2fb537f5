import {
  type Clock,
  createClient,
  createRecordTreatment,
  type StreamName,
  type Transport,
  timestampOfMs,
} from "@survey-export/core";
import { requireConfiguration } from "../connector/airbyte/configuration.ts";
import { MessageWriter } from "../connector/airbyte/message-writer.ts";
import { readFrom } from "../connector/airbyte/read.ts";
import { createHash, machineClock } from "../connector/node/machine.ts";
import { createSimulatedClock } from "../test/support/clock.ts";
import { type Figure, grouped, median, row, type Size } from "./figure.ts";

const SIZES: Readonly<Record<Size, { surveys: number[]; holes: number[]; rounds: number }>> = {
  full: { surveys: [500, 5000], holes: [1000, 10_000, 50_000], rounds: 3 },
  quick: { surveys: [500, 5000], holes: [1000, 4000, 10_000], rounds: 3 },
  tiny: { surveys: [20, 100], holes: [20, 100, 200], rounds: 1 },
};
/** Each has a state of its own. */
const STREAMS_OF_SURVEYS = ["survey_responses", "survey_answers"] as const;
const NEWEST_MS = Date.UTC(2026, 0, 1);
/** From a request to its answer. */
const TRIP_MS = 100;
/** From one hole to the next. Half of it was read, and the other half holds a response. */
const HOLE_EVERY_MS = 60_000;

/**
 * CPU as a power of how much there is: 1 if twice as much takes twice as long. Requests take no CPU, so that they do not
 * hide what grows faster. Surveys are read at the default rate, by a simulated clock: a state is due after a time, and 5,000
 * requests take more than five minutes.
 */
export const exponents: Figure = {
  name: "exponents",
  about: "CPU of a sync / number of surveys with a page each, and of holes in a state, as exponents",
  async measure(size) {
    const { rounds, ...of } = SIZES[size];
    const [few = 0, many = 0] = of.surveys;
    const [least = 0, more = 0, most = 0] = of.holes;
    const states = new Map<number, ReadonlyMap<string, unknown>>();
    const ofCount = async (count: number, before?: ReadonlyMap<string, unknown>) =>
      readAll(idsUpTo(count), STREAMS_OF_SURVEYS, before, createSimulatedClock());
    const first = async (count: number): Promise<number> => {
      const read = await ofCount(count);
      states.set(count, read.states);
      return read.seconds;
    };
    const quiet = async (count: number) => (await ofCount(count, states.get(count))).seconds;
    const holes = async (count: number) => {
      const [stream] = STREAMS_OF_SURVEYS;
      return (await readAll(["1"], [stream], new Map([[stream, withHoles(count)]]))).seconds;
    };
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

/**
 * Reads the surveys from a service with one response in each list and hole. It answers at once; with a clock of its own after
 * `TRIP_MS`, and the sync keeps to the rate limit.
 */
async function readAll(
  surveyIds: readonly string[],
  streams: readonly StreamName[],
  before: ReadonlyMap<string, unknown> = new Map(),
  clock?: Clock,
) {
  const { selection, personalData, service } = requireConfiguration({
    base_url: "https://service.example/v2",
    api_key: "key",
    survey_ids: surveyIds,
  });
  const late: Transport = async (request) => {
    await clock?.sleep(TRIP_MS);
    return answer(request);
  };
  const host = { clock: clock ?? machineClock, transport: clock ? late : answer, log: () => {} };
  const requestsPerMinute = clock ? service.requestsPerMinute : Number.POSITIVE_INFINITY;
  const lastStates = new Map<string, string>();
  const output = {
    async write(lines: string | Uint8Array) {
      const [, stream] = /^\{"type":"STATE".*?"name":"(\w+)"/.exec(String(lines.slice(0, 200))) ?? [];
      if (stream !== undefined) lastStates.set(stream, String(lines));
    },
  };
  const began = process.cpuUsage();
  const complete = await readFrom(
    createClient(host, { ...service, requestsPerMinute }),
    {
      selection,
      selected: streams.map((name) => ({ name, syncMode: "incremental" })),
      states: before,
      treatment: createRecordTreatment(personalData, createHash("")),
    },
    new MessageWriter(output, host.clock),
    new AbortController().signal,
  );
  const { user, system } = process.cpuUsage(began);
  if (!complete) throw new Error("The sync was not complete.");
  const states = new Map(
    [...lastStates].map(([name, line]) => [name, JSON.parse(line).state.stream.stream_state as unknown]),
  );
  return { seconds: (user + system) / 1e6, states };
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
