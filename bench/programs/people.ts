/**
 * A sync over very many respondents, each of whom has one response and one attribute, with the service in the same
 * process and no socket: what is measured is what the core keeps of people. Arguments: how many respondents, in how many
 * surveys, and the streams (separated by commas; default: respondent_attributes).
 */
import "./usage.ts";
import { createClient, readStreams, STREAMS, type StreamName, type Transport } from "@survey-export/core";
import { machineClock } from "../../connector/node/clock.ts";
import { keepHeapSmall } from "../../connector/node/heap.ts";
import { CONFIGURED } from "../service.ts";

keepHeapSmall();

const people = Number(process.argv[2]);
const surveys = Number(process.argv[3] ?? 1);
const names = (process.argv[4] ?? "respondent_attributes").split(",") as StreamName[];
const inEach = people / surveys;
const PER_PAGE = 100;
const NEWEST_MS = Date.UTC(2026, 0, 1);

const idOf = (number: number): string =>
  `${number.toString(16).padStart(8, "0")}-0000-4000-8000-${(number * 7919).toString(16).padStart(12, "0")}`;

const timeOf = (number: number): string =>
  new Date(NEWEST_MS - number * 1000).toISOString().replace("Z", "000Z");

/** Person by person, one response each, newest first; the link names the next one's place in the survey. */
function responses(survey: number, from: number): string {
  const data = [];
  for (let place = from; place < Math.min(inEach, from + PER_PAGE); place++) {
    const number = survey * inEach + place;
    data.push(
      `{"uuid":"${idOf(number)}","collected_at":"${timeOf(number)}","answers":[],"respondent":{"uuid":"${idOf(number)}"}}`,
    );
  }
  const next = from + PER_PAGE;
  const more = next < inEach;
  const link = more ? `,"next_url":"/surveys/${survey}/responses?items_per_page=100&from=${next}"` : "";
  return `{"pagination_data":{"has_more":${more}${link}},"data":[${data.join(",")}]}`;
}

/** The one response of a person: their UUID begins with their number. */
function responsesOf(uuid: string): string {
  const number = Number.parseInt(uuid, 16);
  const survey = Math.floor(number / inEach);
  return `{"pagination_data":{"has_more":false},"data":[{"survey":{"id":"${survey}"},"response":{"uuid":"${uuid}","collected_at":"${timeOf(number)}","answers":[]}}]}`;
}

const ATTRIBUTES = '{"pagination_data":{"has_more":false},"data":[{"id":1,"name":"plan","value":"x"}]}';
let answered = 0;
const transport: Transport = async ({ url }) => {
  // As with a socket, an answer comes with a turn of the event loop, every so often.
  if (++answered % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  return { status: 200, headers: {}, body: answerTo(url) };
};

function answerTo(url: string): string {
  if (url.includes("/attributes?")) return ATTRIBUTES;
  const [, person] = /\/respondents\/([^/]+)\//.exec(url) ?? [];
  if (person !== undefined) return responsesOf(person);
  const from = Number(/[&?]from=(\d+)/.exec(url)?.[1] ?? 0);
  const survey = Number(/\/surveys\/(\d+)\//.exec(url)?.[1] ?? 0);
  return responses(survey, from);
}

/** As much time passes as at the usual rate: the limiter remembers a minute of requests, not a million of them. */
const clock = { ...machineClock, monotonicMs: () => (answered * 60_000) / CONFIGURED };
const client = createClient(
  { transport, clock, log: () => {} },
  { baseUrl: "http://service.local/v2", requestsPerMinute: Number.POSITIVE_INFINITY },
);
let records = 0;
const streams = new Map(names.map((name) => [STREAMS[name], undefined]));
for await (const event of readStreams(client, {
  surveyIds: Array.from({ length: surveys }, (_, survey) => String(survey)),
  respondentUuids: [],
  streams,
  // This service knows no times, so that nothing can be cut.
  inOrder: inEach > PER_PAGE,
})) {
  if (event.type === "failure") throw event.error;
  if (event.type === "records") records += event.records.length;
}
const wanted = people * names.length;
if (records !== wanted) throw new Error(`${records} of ${wanted} records came.`);
