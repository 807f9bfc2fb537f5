import { describe, expect, it } from "vitest";
import { SurveyExportError } from "../../../../../connector/core/errors.ts";
import { chooseSurveys } from "../../../../../connector/core/sync/surveys/choose-surveys.ts";
import { surveyIn } from "../../../../../connector/core/sync/surveys/list-surveys.ts";
import { render, say } from "../../../../../connector/core/text/message.ts";
import { PRESENT } from "../../coverage/support/timestamps.ts";

const FAILED = new SurveyExportError("transient", "unavailable", say`It failed.`);
const GONE = new SurveyExportError("config", "not_found", say`It is not there.`);

interface Listing {
  readonly error?: SurveyExportError;
  readonly isMissing?: boolean;
}

/**
 * The surveys that are read, and those that were asked for. `known`: capitals stand for surveys of which something was
 * read. `there`: those that answer; `!` fails.
 */
async function chosen(listed: string, known: string, there = "", listing: Listing = {}) {
  const found = new Map([...listed].map((id) => [id, surveyIn({ id })!]));
  const asked: string[] = [];
  const get = async (path: string) => {
    const [, id = ""] = /^\/surveys\/(.)\/responses\?items_per_page=1$/.exec(path) ?? [];
    asked.push(id);
    if (there.includes(id)) return { page: {} as never, present: PRESENT };
    return { error: id === "!" ? FAILED : GONE };
  };
  const read = new Set([...known].filter((id) => !/[a-z]/.test(id)).map((id) => id.toLowerCase()));
  const surveys = await chooseSurveys(
    { found, error: undefined, isMissing: false, ...listing },
    { listed: new Set(known.toLowerCase()), read },
    { get },
  );
  return `${surveys.join("")} ${asked.join("")}`.trim();
}

it("every survey that is listed is read, and every one that was known before", async () => {
  expect(await chosen("ab", "Bc")).toBe("abc");
});

describe("a key counts as another workspace's", () => {
  it.each([
    ["", "VWXYZ"],
    ["a", "uVWXYZ"],
    ["ab", "UVWXYZ"],
  ])("if none of five surveys that were read is listed or found: %j, %j", async (listed, known) => {
    const error: unknown = await chosen(listed, known).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "config", code: "other_workspace", scope: "run" });
    const { facts, advice } = error as SurveyExportError;
    expect(render(facts)).toMatch(
      /^The service lists \d surveys?, and none of those that were read before is listed or found\. So nothing was read/,
    );
    expect(render(advice)).toContain('"Refresh streams and retain records"');
  });

  it.each([
    ["one of them is listed", "az", "VWXYZ", "", "azvwxy"],
    ["one of them answers", "a", "VWXYZ", "y", "avwxyz vwxyz"],
    ["one of them answers, and another one fails", "a", "!WXYZ", "y", "a!wxyz !wxyz"],
    ["only four were read", "a", "vWXYZ", "", "avwxyz"],
    ["only one was read", "", "Z", "", "z"],
    ["none was read, however many are known", "a", "tuvwxyz", "", "atuvwxyz"],
  ])("not if %s", async (_, listed, known, there, expected) => {
    expect(await chosen(listed, known, there)).toBe(expected);
  });

  it("not if the list is not whole: those that were known before are read, and nobody is asked for", async () => {
    expect(await chosen("a", "VWXYZ", "", { error: FAILED })).toBe("vwxyz");
    expect(await chosen("a", "z", "", { error: FAILED })).toBe("z");
    expect(await chosen("az", "VWXYZ", "", { error: FAILED })).toBe("azvwxy");
    expect(await chosen("a", "", "", { error: FAILED })).toBe("a");
  });

  it("not if one of the five fails otherwise, and none answers: that is the error", async () => {
    await expect(chosen("a", "VWXY!")).rejects.toBe(FAILED);
  });
});

it("a service without a list of surveys says to name them", async () => {
  await expect(chosen("", "z", "", { error: GONE, isMissing: true })).rejects.toMatchObject({
    code: "surveys_not_listed",
  });
});

it("a list without an end is the error, since nobody knows what it shows", async () => {
  const error = new SurveyExportError("system", "too_large", say`It did not end.`);
  await expect(chosen("a", "", "", { error })).rejects.toBe(error);
});
