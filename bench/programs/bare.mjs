/**
 * The least a program can do for the same rows: request with undici, five at once, parse, the rows by plain code, one
 * JSON line for each. One of the requests is for the names of the surveys. It believes the service: no checks, no
 * retries, no limits, no state. Arguments: base URL, key, `survey_responses` (`unnamed`: without the request for names),
 * then survey ids, each walked along `next_url`; or `--pages` and a file with the path of each page, for a reader that
 * knows all page bounds before it starts.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { request } from "undici";

const [baseUrl = "", key = "", stream, ...rest] = process.argv.slice(2);
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

/** The items of a survey's list do not name it. */
const listing =
  stream === "unnamed" ? Promise.resolve({ data: [] }) : fetchPage("/surveys?items_per_page=100");
const naming = listing.then(({ data }) => new Map(data.map((one) => [one.id, one])));

const responseRow = (response, surveyId, survey) => ({
  uuid: response.uuid,
  collected_at: response.collected_at,
  survey_id: surveyId,
  survey_name: survey?.name ?? null,
  survey_type: survey?.type ?? null,
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

const linesOf = (items, surveyId, survey) =>
  items
    .map(
      (item) =>
        `${JSON.stringify({ type: "RECORD", record: { stream: "survey_responses", data: responseRow(item, surveyId, survey), emitted_at: Date.now() } })}\n`,
    )
    .join("");

async function work() {
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    // A page may begin with the last responses of the one before.
    let before = new Set();
    for (let next = path; next !== undefined; ) {
      const { data, pagination_data: page } = await fetchPage(next);
      const items = data.filter(({ uuid }) => !before.has(uuid));
      const id = path.split("/")[2];
      const survey = (await naming).get(id);
      if (!process.stdout.write(linesOf(items, id, survey))) await once(process.stdout, "drain");
      before = new Set(data.map(({ uuid }) => uuid));
      next = page.has_more && !knowsPages ? page.next_url : undefined;
    }
  }
}

await Promise.all([naming.then(work), work(), work(), work(), work()]);
