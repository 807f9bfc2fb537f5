/** Another program in the same workspace: two requests at a time, page after page, until it is stopped. Arguments: base URL, key, survey id. */
const [baseUrl = "", key = "", surveyId = ""] = process.argv.slice(2);

async function work() {
  for (;;) {
    const answer = await fetch(`${baseUrl}/surveys/${surveyId}/responses?items_per_page=1`, {
      headers: { authorization: `Basic ${key}` },
    });
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, answer.status === 429 ? 1000 : 100));
  }
}
await Promise.all([work(), work()]);
