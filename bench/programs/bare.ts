/**
 * The least a program can do for the same rows: fetch with undici, five at once, parse, the rows by plain code, one JSON
 * line for each. It believes the service: no checks, no retries, no limits, no state. Its words are those of `ours.ts`:
 * base URL, key, streams (`survey_responses`, `survey_answers` or both), `keep` or `hash`, survey ids. With `hash`,
 * only `survey_responses`.
 */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Pool } from "undici";
import { SALT } from "./usage.ts";

const [baseUrl = "", apiKey = "", streams = "", handling = "keep", ...surveyIds] = process.argv.slice(2);
const { origin, pathname } = new URL(baseUrl);
const pool = new Pool(origin, { connections: 5 });
const headers = { authorization: `Basic ${apiKey}`, "accept-encoding": "gzip" };
const inflate = promisify(gunzip);

interface Page {
  readonly pagination_data: { readonly has_more: boolean; readonly next_url?: string };
  readonly data: readonly Item[];
}

interface Item {
  readonly survey: { readonly id: string; readonly name: string; readonly type: string };
  readonly response: Response;
}

interface Response {
  readonly uuid: string;
  readonly collected_at: string;
  readonly url?: string;
  readonly device_type?: string;
  readonly operating_system?: string;
  readonly platform?: string;
  readonly language?: string;
  readonly answers: readonly Answered[];
  readonly attributes: readonly Attribute[];
  readonly respondent: { readonly uuid: string; readonly attributes: readonly Attribute[] };
}

interface Attribute {
  readonly name: string;
  readonly value: string;
}

interface Answered {
  readonly question_id: number;
  readonly question_type: string;
  readonly answer?: string | Choice;
  readonly answers?: readonly Choice[];
  readonly fields?: readonly { readonly type: string; readonly content: string }[];
  readonly action_performed?: boolean;
}

interface Choice {
  readonly id?: number;
  readonly content: string;
  readonly comment?: string;
  readonly rating?: number;
  readonly tag?: string;
  readonly score?: string;
  readonly rank?: number;
}

async function fetchPage(path: string): Promise<Page> {
  const answer = await pool.request({ path: pathname + path, method: "GET", headers });
  if (answer.headers["content-encoding"] !== "gzip") return (await answer.body.json()) as Page;
  return JSON.parse((await inflate(await answer.body.bytes())).toString()) as Page;
}

const responseRow = ({ survey, response }: Item) => ({
  uuid: response.uuid,
  collected_at: response.collected_at,
  survey_id: survey.id,
  survey_name: survey.name,
  survey_type: survey.type,
  respondent_uuid: response.respondent.uuid,
  url: response.url ?? null,
  device_type: response.device_type ?? null,
  operating_system: response.operating_system ?? null,
  platform: response.platform ?? null,
  language: response.language ?? null,
  answers: response.answers,
  attributes: response.attributes,
  respondent_attributes: response.respondent.attributes,
  additional_fields: null,
});

const hashes = new Map([["", ""]]);

function hash(text: string): string {
  let hashed = hashes.get(text);
  if (hashed === undefined) {
    hashed = createHmac("sha256", SALT).update(text).digest("hex");
    hashes.set(text, hashed);
  }
  return hashed;
}

function hashedRow(item: Item) {
  const row = responseRow(item);
  return {
    ...row,
    respondent_uuid: hash(row.respondent_uuid),
    url: row.url === null ? null : hashedUrl(row.url),
    platform: row.platform === null ? null : hash(row.platform),
    answers: row.answers.map(hashedAnswer),
    attributes: row.attributes.map(hashedAttribute),
    respondent_attributes: row.respondent_attributes.map(hashedAttribute),
  };
}

function hashedUrl(url: string): string {
  const mark = url.search(/[?#]/);
  return mark < 0 ? url : `${url.slice(0, mark)}?${hash(url.slice(mark + 1))}`;
}

const hashedAttribute = (attribute: Attribute): Attribute => ({ ...attribute, value: hash(attribute.value) });

function hashedAnswer(answered: Answered): Answered {
  const { answer, answers, fields } = answered;
  if (typeof answer === "string") return { ...answered, answer: hash(answer) };
  if (answer !== undefined) return { ...answered, answer: hashedChoice(answer) };
  if (answers !== undefined) return { ...answered, answers: answers.map(hashedChoice) };
  if (fields === undefined) return answered;
  return { ...answered, fields: fields.map((field) => ({ ...field, content: hash(field.content) })) };
}

function hashedChoice(choice: Choice): Choice {
  const hashed: { content: string; comment?: string; score?: string } = { ...choice };
  if (choice.tag === undefined) hashed.content = hash(choice.content);
  if (choice.comment !== undefined) hashed.comment = hash(choice.comment);
  if (choice.score !== undefined) hashed.score = hash(choice.score);
  return hashed;
}

function answerRows({ survey, response }: Item): object[] {
  const rows: object[] = [];
  for (const answered of response.answers) {
    const { answer, answers, fields, action_performed: action } = answered;
    let position = 0;
    const add = (type: string, values: Partial<Values>): void => {
      rows.push({
        response_uuid: response.uuid,
        collected_at: response.collected_at,
        survey_id: survey.id,
        survey_name: survey.name,
        respondent_uuid: response.respondent.uuid,
        question_id: answered.question_id,
        question_type: answered.question_type,
        position: ++position,
        answer_type: type,
        answer_id: values.answer_id ?? null,
        label: values.label ?? null,
        value_text: values.value_text ?? null,
        value_number: values.value_number ?? null,
        value_boolean: values.value_boolean ?? null,
        comment: values.comment ?? null,
        nps_tag: values.nps_tag ?? null,
        additional_fields: null,
      });
    };
    if (typeof answer === "string") add("text", { value_text: answer });
    else if (answer?.tag !== undefined) {
      add("nps", { value_text: answer.content, value_number: Number(answer.content), nps_tag: answer.tag });
    } else if (answer !== undefined) {
      const { id, content, comment, rating } = answer;
      add(rating === undefined ? "single_choice" : "rating", {
        ...{ answer_id: id, value_text: content, value_number: rating, comment },
      });
    }
    for (const { id, content, comment, score, rank } of answers ?? []) {
      if (score !== undefined) add("matrix", { answer_id: id, label: content, value_text: score });
      else if (rank !== undefined) add("ranking", { answer_id: id, label: content, value_number: rank });
      else add("multiple_choice", { answer_id: id, value_text: content, comment });
    }
    for (const { type, content } of fields ?? []) add("contact_form", { label: type, value_text: content });
    if (action !== undefined) add("action", { value_boolean: action });
  }
  return rows;
}

interface Values {
  readonly answer_id: number | undefined;
  readonly label: string;
  readonly value_text: string;
  readonly value_number: number | undefined;
  readonly value_boolean: boolean;
  readonly comment: string | undefined;
  readonly nps_tag: string;
}

const ROWS: Readonly<Record<string, (item: Item) => readonly object[]>> = {
  survey_responses: (item) => [handling === "hash" ? hashedRow(item) : responseRow(item)],
  survey_answers: answerRows,
};
const chosen = streams.split(",").map((stream) => ({ stream, rowsOf: ROWS[stream]! }));

function linesOf(items: readonly Item[]): string {
  let lines = "";
  for (const { stream, rowsOf } of chosen) {
    for (const item of items) {
      for (const data of rowsOf(item)) {
        lines += `${JSON.stringify({ type: "RECORD", record: { stream, data, emitted_at: Date.now() } })}\n`;
      }
    }
  }
  return lines;
}

async function work(): Promise<void> {
  for (let id = surveyIds.shift(); id !== undefined; id = surveyIds.shift()) {
    let path: string | undefined = `/surveys/${id}/responses?items_per_page=100`;
    // A page may begin with the last responses of the one before.
    let before = new Set<string>();
    while (path !== undefined) {
      const { data, pagination_data }: Page = await fetchPage(path);
      const items = data.filter(({ response }) => !before.has(response.uuid));
      if (!process.stdout.write(linesOf(items))) await once(process.stdout, "drain");
      before = new Set(data.map(({ response }) => response.uuid));
      path = pagination_data.has_more ? pagination_data.next_url : undefined;
    }
  }
}

await Promise.all([work(), work(), work(), work(), work()]);
await pool.close();
