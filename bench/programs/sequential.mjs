/**
 * The plainest reader: one request after another along `next_url`, no state, a pause when a limit is exceeded.
 * Arguments: base URL, key, survey id, and `people` to read each person's lists too.
 */
const [baseUrl = "", key = "", surveyId = "", people] = process.argv.slice(2);

async function* items(path) {
  for (let next = path; next !== undefined; ) {
    const answer = await fetch(baseUrl + next, { headers: { authorization: `Basic ${key}` } });
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get("retry-after") ?? 1);
      await answer.arrayBuffer();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      continue;
    }
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { data, pagination_data: page } = await answer.json();
    yield* data;
    next = page.has_more ? page.next_url : undefined;
  }
}

const emit = (stream, data) =>
  process.stdout.write(`${JSON.stringify({ type: "RECORD", record: { stream, data } })}\n`);
const flat = ({ survey, response }) => ({ ...response, survey_id: survey.id });

const found = new Set();
for await (const item of items(`/surveys/${surveyId}/responses?items_per_page=100`)) {
  emit("survey_responses", flat(item));
  found.add(item.response.respondent.uuid);
}
for (const uuid of people === undefined ? [] : found) {
  for await (const item of items(`/respondents/${uuid}/responses?items_per_page=100`)) {
    emit("respondent_responses", flat(item));
  }
  for await (const item of items(`/respondents/${uuid}/attributes?items_per_page=100`)) {
    emit("respondent_attributes", { ...item, respondent_uuid: uuid });
  }
}
