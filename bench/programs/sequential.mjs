/**
 * The plainest reader: one request after another along `next_url`, no state, a pause when a limit is exceeded.
 * Arguments: base URL, key, survey id.
 */
const [baseUrl = "", key = "", surveyId = ""] = process.argv.slice(2);

for (let next = `/surveys/${surveyId}/responses?items_per_page=100`; next !== undefined; ) {
  const answer = await fetch(baseUrl + next, { headers: { authorization: `Basic ${key}` } });
  if (answer.status === 429) {
    const seconds = Number(answer.headers.get("retry-after") ?? 1);
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    continue;
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { data, pagination_data: page } = await answer.json();
  for (const response of data) {
    const record = { stream: "survey_responses", data: { ...response, survey_id: surveyId } };
    process.stdout.write(`${JSON.stringify({ type: "RECORD", record })}\n`);
  }
  next = page.has_more ? page.next_url : undefined;
}
