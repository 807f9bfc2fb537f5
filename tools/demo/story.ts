import { aligned, compareDelivery, type Delivery, latestRows, type Row } from "./delivery.ts";
import { expectedKeys } from "./expected-keys.ts";
import { npsBySurvey } from "./scores.ts";
import { ALLOWANCE_PER_MINUTE, type Company, LATENCY_MS, startCompany } from "./service.ts";
import { type Read, Source } from "./source.ts";
import { Bar, counted, type Terminal } from "./terminal.ts";

/** A stream compared with the truth. */
export interface Compared extends Delivery {
  /** How many records the stream should hold. */
  readonly there: number;
}

/** What the page is drawn from. The records come from the program's messages, each key once. */
export interface Report {
  readonly answers: readonly Row["data"][];
  readonly responses: readonly Row["data"][];
  readonly streams: readonly Compared[];
  /** When requests arrived, in milliseconds since the service started. */
  readonly requestsMs: readonly number[];
  readonly killedAtMs: number;
  readonly resumedAtMs: number;
  readonly allowancePerMinute: number;
}

const PAUSE_MS = 700;

/** Runs everything, tells it on a terminal, and returns what came. Throws if a record is missing. */
export async function tell(folder: string, bin: string, terminal: Terminal): Promise<Report> {
  const say = (text: string): void => terminal.write(`${text}\n`);
  const company = await startCompany();
  try {
    introduce(company, say);
    const source = await Source.prepare(folder, bin, company.sandbox);
    const first = await readHalf(source, company, terminal, say);
    const killedAtMs = company.elapsedMs();
    await company.wait(PAUSE_MS);
    say(`\n2. Meanwhile ${company.letPeopleAnswer()} people answer, and 3 of the answers appear late`);
    await company.wait(PAUSE_MS);
    const resumedAtMs = company.elapsedMs();
    const second = await readRest(source, company, first, terminal, say);
    const streams = compared(company, first, second);
    say(`\n4. Compare with the truth\n${verdict(streams)}`);
    const rows = [...first.rows, ...second.rows];
    const answers = latestRows("survey_answers", rows, source.primaryKeys);
    say(`\n${npsBySurvey(answers)}`);
    return {
      answers,
      responses: latestRows("survey_responses", rows, source.primaryKeys),
      streams,
      requestsMs: company.requestsMs,
      killedAtMs,
      resumedAtMs,
      allowancePerMinute: ALLOWANCE_PER_MINUTE,
    };
  } finally {
    await company.sandbox.close();
  }
}

function introduce({ sandbox }: Company, say: (text: string) => void): void {
  const { truth } = sandbox.service;
  const ids = truth.surveyIds();
  const responses = ids.reduce((sum, id) => sum + truth.count(id), 0);
  say(`A made-up company is served on this machine: ${ids.length} surveys with ${responses} responses.`);
  say(
    `Like the real service it allows 5 requests at once and ${counted(ALLOWANCE_PER_MINUTE)} a minute; an answer takes ${LATENCY_MS} ms.`,
  );
}

async function readHalf(
  source: Source,
  { sandbox }: Company,
  terminal: Terminal,
  say: (text: string) => void,
) {
  const all = countOf(expectedKeys(sandbox.service.truth));
  const bar = new Bar(terminal);
  say("\n1. Read everything, and kill the program half way");
  say("   $ source-survey-export read --config config.json --catalog catalog.json > first.jsonl");
  const read = await source.read("first.jsonl", (count) => {
    bar.draw(count, all);
    return count >= all / 2;
  });
  bar.end();
  if (!read.killed)
    throw new Error("The program ended before it could be killed. Please run the demo again.");
  say(`   Killed with SIGKILL after ${read.seconds.toFixed(1)} s.`);
  return read;
}

async function readRest(
  source: Source,
  { sandbox }: Company,
  first: Read,
  terminal: Terminal,
  say: (text: string) => void,
) {
  const all = countOf(expectedKeys(sandbox.service.truth));
  const bar = new Bar(terminal);
  say("\n3. Resume from what the killed program wrote");
  say("   $ source-survey-export read … --state first.jsonl > second.jsonl");
  const options = { after: "first.jsonl", known: first };
  const read = await source.read(
    "second.jsonl",
    (count) => {
      bar.draw(count, all);
      return false;
    },
    options,
  );
  bar.end();
  say(`   Done after ${read.seconds.toFixed(1)} s.`);
  return read;
}

function compared({ sandbox }: Company, first: Read, second: Read): Compared[] {
  const expected = expectedKeys(sandbox.service.truth);
  return compareDelivery(expected, first.keys, second.keys).map((delivery) => ({
    ...delivery,
    there: expected.get(delivery.stream)!.size,
  }));
}

/** The table of the comparison and its sum. Throws if a record is missing. */
export function verdict(streams: readonly Compared[]): string {
  const table = aligned(
    streams.map(({ stream, there, first, second, again, missing }) => ({
      stream,
      "in the service": counted(there),
      "killed read": counted(first),
      resumed: counted(second),
      twice: counted(again),
      missing,
    })),
  );
  const [missing, again] = [sumOf(streams, "missing"), sumOf(streams, "again")];
  const indented = table.replaceAll(/^/gm, "   ");
  if (missing > 0) throw new Error(`${indented}\n${missing} records are missing. Please report it.`);
  return `${indented}

   0 missing. ${counted(again)} came twice: the killed program wrote them after its last state,
   or somebody answered again. In a table with the primary key each is there once.`;
}

/** Adds up a column of the comparison. */
export const sumOf = (
  streams: readonly Compared[],
  column: "there" | "first" | "second" | "again" | "missing",
): number => streams.reduce((sum, stream) => sum + stream[column], 0);

const countOf = (keys: ReadonlyMap<string, ReadonlySet<string>>): number =>
  [...keys.values()].reduce((sum, { size }) => sum + size, 0);
