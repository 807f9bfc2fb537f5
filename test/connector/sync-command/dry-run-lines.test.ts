import { parseTimestamp, render, type StreamName, SurveyExportError, say } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import { dryRunLines, type Plan } from "../../../connector/sync-command/dry-run-lines.ts";

const survey = (id: string, responses: number | undefined, name: string | null = `Survey ${id}`) => ({
  id,
  listed: { id, name, type: null, responses, createdAt: parseTimestamp(""), fields: {} },
});
const REFUSED = new SurveyExportError("config", "forbidden", say`Refused.`, { status: 403 });

/** The lines about two surveys, and what is different. */
function linesOf(
  { surveys = {}, ...plan }: Omit<Partial<Plan>, "surveys"> & { surveys?: Partial<Plan["surveys"]> },
  settings: object = {},
): string[] {
  const access = { base_url: "http://service.local/v2", api_key: "k3y-9f2c77" };
  const list = { surveys: [survey("a", 1200), survey("b", 34)], excluded: 0, listPages: 1 };
  return dryRunLines(
    {
      surveys: { ...list, unlisted: undefined, warnings: [], ...surveys },
      streams: ["survey_responses"],
      sample: undefined,
      hasTarget: false,
      ...plan,
    },
    requireConfiguration({ ...access, ...settings }),
    render,
  );
}

const PEOPLE: StreamName[] = ["respondent_responses", "respondent_attributes"];
const timesOf = (...given: Parameters<typeof linesOf>): string =>
  linesOf(...given)
    .slice(4)
    .join(" ");

it.each<[string, Parameters<typeof linesOf>, string[]]>([
  [
    "their ids, counts and names",
    [{}],
    [
      "A sync would read 2 surveys with 1,234 responses, as the service counts them.",
      '  "a"  1,200  "Survey a"',
      '  "b"     34  "Survey b"',
      "Streams: survey_responses.",
      "A first sync takes about 14 requests: less than a minute at 900 requests a minute.",
    ],
  ],
  [
    "which of them are not counted, named, listed or read",
    [
      {
        surveys: {
          surveys: [survey("a", 1, null), survey("b", undefined), { id: "c", listed: undefined }],
          excluded: 3,
        },
        hasTarget: true,
      },
      { start_date: "2026-01-01T00:00:00Z" },
    ],
    [
      "A sync would read 3 surveys with 1 response, as the service counts them. It does not count those of 2 surveys. Those outside of start_date and end_date are not read. Excluded: 3 surveys.",
      '  "a"  1',
      '  "b"  ?  "Survey b"',
      '  "c"  ?  (not listed)',
      "Streams: survey_responses.",
      "A first sync takes about 4 requests: less than a minute at 900 requests a minute.",
      "An earlier sync may have read a part of it: then a sync reads only the rest.",
    ],
  ],
  [
    "that their list is refused",
    [{ surveys: { surveys: [{ id: "c", listed: undefined }], unlisted: REFUSED, listPages: 0 } }],
    [
      "A sync would read 1 survey. The service does not list its surveys (status 403), so their names and counts are not known.",
      '  "c"  ?  (not listed)',
      "Streams: survey_responses.",
      "A first sync takes about 1 request: less than a minute at 900 requests a minute.",
    ],
  ],
])("the plan says of the surveys %s", (_, given, lines) => {
  expect(linesOf(...given)).toEqual(lines);
});

describe("how long a first sync takes", () => {
  it("is estimated by how often people repeat", () => {
    expect(timesOf({ streams: PEOPLE, sample: { responses: 500, people: 300 } })).toBe(
      "A first sync takes about 430 requests: less than a minute at 900 requests a minute. They include a request for each respondent. There may be about 416, since 500 responses of different times are of 300 respondents. If each response were another respondent's, it would take 1,248 requests and about 2 minutes. To do without them, leave respondent_attributes out of --streams.",
    );
  });

  it("is exact if the sample has all responses, and counts two requests if both streams ask", () => {
    const named = { survey_ids: ["a", "b"], requests_per_minute: 60 };
    expect(timesOf({ streams: PEOPLE, sample: { responses: 1234, people: 300 } }, named)).toBe(
      "A first sync takes about 614 requests: about 11 minutes at 60 requests a minute. They include 2 requests for each respondent. The responses are of 300 respondents. To do without them, leave respondent_responses and respondent_attributes out of --streams.",
    );
  });

  it("is at most one request a response if nobody repeats", () => {
    expect(timesOf({ streams: PEOPLE, sample: { responses: 200, people: 199 } })).toBe(
      "A first sync takes at most 1,248 requests: about 2 minutes at 900 requests a minute. They include a request for each respondent. How many there are is not known: 200 responses of different times are of 199 respondents. To do without them, leave respondent_attributes out of --streams.",
    );
  });
});
