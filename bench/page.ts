import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { STREAMS } from "../connector/core/index.ts";
import { type Figure, grouped, median, row, type Size } from "./figure.ts";
import { inNewFolder } from "./folder.ts";
import { fileOf, node, run, SHIPPED } from "./program.ts";
import { survey, withSandbox } from "./sandbox.ts";

const SIZES: Readonly<
  Record<Size, { responses: number; questions: readonly [few: number, many: number]; rounds: number }>
> = {
  full: { responses: 100_000, questions: [300, 3000], rounds: 3 },
  quick: { responses: 20_000, questions: [300, 3000], rounds: 1 },
  tiny: { responses: 200, questions: [3, 30], rounds: 1 },
};
const CHOICES = 10;

/** Reads each row of the two large tables once, as any program that counts must. */
const READ_ALL = `
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[1]);
let length = 0;
for (const table of ["survey_responses", "survey_answers"])
  for (const { value_text } of database.prepare("select * from " + table).iterate()) length += String(value_text).length;
process.exitCode = length > 0 ? 0 : 1;
`;

/** How long the page takes: next to reading all rows once, and as the number of questions grows. */
export const page: Figure = {
  name: "page",
  about: "wall time of `report` / of reading all rows once; exponent of its time in the number of questions",
  async measure(size) {
    const { responses, questions, rounds } = SIZES[size];
    const [few, many] = questions;
    const ratio = await inNewFolder((folder) => overReading(folder, responses, rounds));
    const times = await inNewFolder(async (folder) => {
      const took: number[] = [];
      for (const count of questions)
        took.push(await timeOfQuestions(join(folder, `${count}.sqlite`), count, rounds));
      return took as [number, number];
    });
    const exponent = Math.log(times[1] / times[0]) / Math.log(many / few);
    const title = `\`report\` / reading all rows once, ${grouped(responses)} responses; exponent of its time, ${grouped(few)} to ${grouped(many)} questions of ten choices`;
    return [row("page", title, [ratio, exponent])];
  },
};

function overReading(folder: string, responses: number, rounds: number): Promise<number> {
  const options = { surveys: [survey("1", responses)], limits: false, cachePages: true } as const;
  return withSandbox(options, async ({ url, apiKey }) => {
    const file = join(folder, "surveys.sqlite");
    const streams = "surveys,survey_questions,survey_responses,survey_answers";
    const config = fileOf({ base_url: url, api_key: apiKey, requests_per_minute: 1000 });
    await run(node(SHIPPED, "sync", file, "--config", config, "--streams", streams));
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const read = await run(node("--no-warnings", "-e", READ_ALL, file));
      ratios.push((await run(node(SHIPPED, "report", file))).tookMs / read.tookMs);
    }
    return median(ratios);
  });
}

/** The median time of a page of so many questions with ten choices each, which forty people answered. */
async function timeOfQuestions(path: string, questions: number, rounds: number): Promise<number> {
  writeQuestions(path, questions);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) took.push((await run(node(SHIPPED, "report", path))).tookMs);
  return median(took);
}

const PEOPLE = 40;
const COLLECTED = "2026-09-07T10:00:00.000000Z";

function writeQuestions(path: string, questions: number): void {
  using database = new DatabaseSync(path);
  database.exec("create table _survey_export_state (stream, state)");
  database.exec(
    "create table _survey_export_syncs (began_at, ended_at, outcome, start_date, end_date, lookback_seconds)",
  );
  for (const name of ["surveys", "survey_questions", "survey_responses", "survey_answers"] as const) {
    const { columns, primaryKey } = STREAMS[name];
    database.exec(
      `create table ${name} (${Object.keys(columns).join(", ")}, primary key (${primaryKey.join(", ")}))`,
    );
  }
  const insert = (table: string, values: Readonly<Record<string, string | number>>): void => {
    const names = Object.keys(values);
    const statement = `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`;
    database.prepare(statement).run(...Object.values(values));
  };
  database.exec("begin");
  insert("surveys", { id: "s", name: "Survey", responses: PEOPLE, collected_at: COLLECTED });
  for (let question = 1; question <= questions; question++) {
    const listed = Array.from({ length: CHOICES }, (_, at) => ({
      id: CHOICES * question + at,
      content: `${question}.${at}`,
    }));
    const answer_choices = JSON.stringify(listed);
    insert("survey_questions", {
      survey_id: "s",
      id: question,
      position: question,
      question: `Question ${question}`,
      answer_choices,
    });
  }
  for (let person = 0; person < PEOPLE; person++) {
    const of = { survey_id: "s", collected_at: COLLECTED, respondent_uuid: `person-${person}` };
    insert("survey_responses", { ...of, uuid: `response-${person}` });
    for (let question = 1; question <= questions; question++) {
      const at = person % CHOICES;
      const chosen = {
        answer_type: "single_choice",
        answer_id: CHOICES * question + at,
        value_text: `${question}.${at}`,
      };
      insert("survey_answers", {
        ...of,
        ...chosen,
        response_uuid: `response-${person}`,
        question_id: question,
        position: 1,
      });
    }
  }
  database.exec("commit");
}
