/**
 * The least a program can do for the same rows: request with undici, five at once, parse, the rows by plain code, one
 * JSON line for each. It believes the service: no checks, no retries, no limits, no state. Arguments: base URL, key,
 * streams (`survey_responses`, `survey_answers` or both), then survey ids, each walked along `next_url`; or `--pages`
 * and a file with the path of each page, for a reader that knows all page bounds before it starts.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { request } from "undici";

const [baseUrl = "", key = "", streams = "", ...rest] = process.argv.slice(2);
const knowsPages = rest[0] === "--pages";
const paths = knowsPages
  ? readFileSync(rest[1], "utf8").split("\n")
  : rest.map((id) => `/surveys/${id}/responses?items_per_page=100`);
const headers = { authorization: `Basic ${key}`, "accept-encoding": "gzip" };
const inflate = promisify(gunzip);

async function fetchPage(path) {
  const answer = await request(baseUrl + path, { headers });
  if (answer.headers["content-encoding"] !== "gzip") return answer.body.json();
  return JSON.parse((await inflate(await answer.body.bytes())).toString());
}

const responseRow = ({ survey, response }) => ({
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

function answerRows({ survey, response }) {
  const rows = [];
  for (const { question_id, question_type, answer, answers, fields, action_performed } of response.answers) {
    let position = 0;
    const add = (answer_type, values) => {
      rows.push({
        response_uuid: response.uuid,
        collected_at: response.collected_at,
        survey_id: survey.id,
        survey_name: survey.name,
        respondent_uuid: response.respondent.uuid,
        question_id,
        question_type,
        position: ++position,
        answer_type,
        answer_id: values.id ?? null,
        label: values.label ?? null,
        value_text: values.text ?? null,
        value_number: values.number ?? null,
        value_boolean: values.boolean ?? null,
        comment: values.comment ?? null,
        nps_tag: values.tag ?? null,
        additional_fields: null,
      });
    };
    if (typeof answer === "string") add("text", { text: answer });
    else if (answer?.tag !== undefined) {
      add("nps", { text: answer.content, number: Number(answer.content), tag: answer.tag });
    } else if (answer !== undefined) {
      const { id, content: text, comment, rating: number } = answer;
      add(number === undefined ? "single_choice" : "rating", { id, text, number, comment });
    }
    for (const { id, content, comment, score, rank } of answers ?? []) {
      if (score !== undefined) add("matrix", { id, label: content, text: score });
      else if (rank !== undefined) add("ranking", { id, label: content, number: rank });
      else add("multiple_choice", { id, text: content, comment });
    }
    for (const { type, content } of fields ?? []) add("contact_form", { label: type, text: content });
    if (action_performed !== undefined) add("action", { boolean: action_performed });
  }
  return rows;
}

const ROWS = { survey_responses: (item) => [responseRow(item)], survey_answers: answerRows };
const chosen = streams.split(",").map((stream) => ({ stream, rowsOf: ROWS[stream] }));

function linesOf(items) {
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

async function work() {
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    // A page may begin with the last responses of the one before.
    let before = new Set();
    for (let next = path; next !== undefined; ) {
      const { data, pagination_data: page } = await fetchPage(next);
      const items = data.filter(({ response }) => !before.has(response.uuid));
      if (!process.stdout.write(linesOf(items))) await once(process.stdout, "drain");
      before = new Set(data.map(({ response }) => response.uuid));
      next = page.has_more && !knowsPages ? page.next_url : undefined;
    }
  }
}

await Promise.all([work(), work(), work(), work(), work()]);
