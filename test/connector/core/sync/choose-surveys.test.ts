import { expect, it } from "vitest";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { surveyIn } from "../../../../connector/core/lists/listed-surveys.ts";
import { chooseSurveys } from "../../../../connector/core/sync/choose-surveys.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { PRESENT } from "../coverage/support/timestamps.ts";

const FAILED = new SurveyExportError("transient", "unavailable", say`It failed.`);
const GONE = new SurveyExportError("config", "not_found", say`It is not there.`);
/** `known`: capitals stand for surveys of which something was read. `there`: the surveys that answer. */
async function chosen(listed: string, known: string, there: string, problem?: SurveyExportError) {
  const found = new Map([...listed].map((id) => [id, surveyIn({ id })!]));
  const asked: string[] = [];
  const get = async (path: string) => {
    const [, id = ""] = /^\/surveys\/(.)\/responses\?items_per_page=1$/.exec(path) ?? [];
    asked.push(id);
    if (there.includes(id)) return { page: {} as never, present: PRESENT };
    return { error: id === "!" ? FAILED : GONE };
  };
  const read = new Set([...known].filter((id) => id !== id.toLowerCase()).map((id) => id.toLowerCase()));
  const names = new Set(known.toLowerCase());
  const listing = { found, problem, isMissing: false };
  const surveys = await chooseSurveys(listing, { listed: names, read }, { get });
  return `${surveys.join("")} ${asked.join("")}`.trim();
}

it.each([
  ["ab", "C", "c"],
  ["", "C", "c"],
  ["x", "abcdefG", "gabcd"],
])(
  "refuses a whole list (%j) with none of those that were known before (%j), after it has asked for %j",
  async (listed, known, asked) => {
    await expect(chosen(listed, known, "")).rejects.toThrow(
      /none of those that were known before is listed or found.*"Refresh streams and retain records"/,
    );
    expect(await chosen(listed, known, asked)).toBe(`${listed}${known.toLowerCase()} ${asked}`);
    expect(await chosen(listed, known, "", FAILED), "not whole").toBe(known.toLowerCase());
  },
);

it("gives no verdict if the surveys of before cannot be asked for", async () => {
  await expect(chosen("x", "!", "")).rejects.toBe(FAILED);
});
