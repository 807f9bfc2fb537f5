import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { namedStreams } from "../../../connector/airbyte/catalog.ts";
import type { SandboxOptions } from "../../../sandbox/index.ts";
import { BIN, runBin } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { sandboxForTest, surveyOf } from "../../support/sandbox.ts";
import { serverForTest } from "../../support/server.ts";

const SURVEYS = [
  { ...surveyOf("0000000000abc001", 1500, { respondents: 60 }), name: "Churn" },
  { ...surveyOf("0000000000abc00a", 120, { respondents: 60 }), name: "VIP NPS" },
];
/** `catalog.test.ts` says which these are. */
const USUAL = namedStreams().join(", ");

const withoutTimes = (shown: string): string => shown.replaceAll(/^\S+Z /gm, "");

/** A dry run with these settings and options. Nothing is in the folder after it but the settings. */
async function dryRun(settings: object, options: readonly string[] = [], service: SandboxOptions = {}) {
  const sandbox = await sandboxForTest({ surveys: SURVEYS, limits: false, ...service });
  const folder = folderForTest();
  await folder.file("config.json", { base_url: sandbox.url, api_key: sandbox.apiKey, ...settings });
  const words = ["sync", folder.path("surveys.sqlite"), "--dry-run", ...options];
  const { code, stdout, stderr } = await runBin(words);
  expect(readdirSync(folder.path())).toEqual(["config.json"]);
  return { code, stdout, stderr: withoutTimes(stderr), requests: sandbox.service.stats.requests };
}

describe("a dry run", () => {
  it("says which surveys and streams a sync reads, and how long it takes, and asks for five pages at most", async () => {
    const { code, stdout, stderr, requests } = await dryRun({});
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [likely, people, sampled, seen] =
      /about (\d+) requests.*about (\d+), since (\d+) .* of (\d+) respondents/s
        .exec(stdout)!
        .slice(1)
        .map(Number) as [number, number, number, number];
    // Which responses the pages have depends on the day. Sixty people gave them.
    expect([people > 50, people < 75, likely - people, sampled > 100, seen > 50, seen <= 60]).toEqual([
      true,
      true,
      20,
      true,
      true,
      true,
    ]);
    expect(stdout).toBe(
      `A sync would read 2 surveys with 1,620 responses, as the service counts them.
  "0000000000abc001"  1,500  "Churn"
  "0000000000abc00a"    120  "VIP NPS"
Streams: ${USUAL}.
A first sync takes about ${likely} requests: less than a minute at 900 requests a minute.
They include a request for each respondent. There may be about ${people}, since ${sampled} responses of different times are of ${seen} respondents. If each response were another respondent's, it would take 1,640 requests and about 2 minutes. To do without them, leave respondent_attributes out of --streams.
`,
    );
    expect(requests).toBe(6);
  });

  it("reads by the list alone if nobody is asked for, and says what is excluded and named", async () => {
    const somebody = "00000000-0000-4000-8000-0000000000aa";
    const settings = {
      excluded_survey_ids: ["0000000000abc001"],
      respondent_uuids: [somebody],
      items_per_page: 10,
    };
    const streams = "survey_responses,surveys,respondent_attributes";
    const { stdout, stderr, requests } = await dryRun(settings, ["--streams", streams]);
    expect(stdout).toBe(
      `A sync would read 1 survey with 120 responses, as the service counts them. Excluded: 1 survey.
  "0000000000abc00a"  120  "VIP NPS"
Streams: survey_responses, respondent_attributes, surveys.
Of the 1 respondent in respondent_uuids alone: respondent_attributes.
A first sync takes about 14 requests: less than a minute at 900 requests a minute.
`,
    );
    expect(stderr).toBe(
      `WARN These respondents were not found: "${somebody}". A sync reads the others, and fails until you remove them from respondent_uuids or correct their ids. [respondents_not_found]\n`,
    );
    expect(requests).toBe(2);
  });

  it("asks nothing about surveys if all streams are of respondents who are named", async () => {
    const uuid = "00000000-0000-4000-8000-0000000000aa";
    const options = ["--streams", "respondent_responses"];
    const service = { respondents: [{ uuid, attributes: [] }] };
    const { stdout, stderr, requests } = await dryRun({ respondent_uuids: [uuid] }, options, service);
    expect(stdout).toBe(
      `A sync would read no survey.
Streams: respondent_responses.
Of the 1 respondent in respondent_uuids alone: respondent_responses.
A first sync takes about 1 request: less than a minute at 900 requests a minute.
`,
    );
    expect({ stderr, requests }).toEqual({ stderr: "", requests: 1 });
  });

  it("of many surveys shows the largest", async () => {
    const surveys = Array.from({ length: 53 }, (_, number) => surveyOf(`s${number}`, number));
    const { stdout } = await dryRun({}, ["--streams", "survey_responses"], { surveys });
    const rows = stdout.split("\n").filter((line) => line.startsWith("  "));
    expect(rows).toHaveLength(51);
    expect([rows[0], rows.at(-1)]).toEqual([
      expect.stringMatching(/^ {2}"s52" +52 {2}"/),
      "  and 3 more with 3 responses",
    ]);
  });

  it("warns of ids that are not found and of settings without effect, as check does", async () => {
    const { code, stdout, stderr } = await dryRun({
      survey_ids: ["0000000000abc001", "VIP NPS"],
      excluded_survey_ids: ["b"],
      start_date: "2999-01-01T00:00:00Z",
    });
    expect(code).toBe(0);
    expect(stdout).toContain('  "0000000000abc001"  1,500  "Churn"\nStreams: ');
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/^WARN excluded_survey_ids has no effect, .* \[doubtful_setting\]$/),
      expect.stringMatching(/^WARN start_date is in the future, .* \[doubtful_setting\]$/),
      'WARN These surveys were not found: "VIP NPS". "VIP NPS" is the name of survey "0000000000abc00a". A sync reads the others, and fails until you remove them from survey_ids or correct their ids. [surveys_not_found]',
      "",
    ]);
  });

  it("of named surveys needs no list: a refused one is told", async () => {
    const faults = [{ on: "/surveys\\?", reply: "status_403" as const }];
    const settings = { survey_ids: ["0000000000abc001", "0000000000abc00a"] };
    const { code, stdout, stderr } = await dryRun(settings, ["--streams", "survey_responses,surveys"], {
      faults,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^A sync would read 2 surveys\. The service does not list its surveys \(status 403\), so their names and counts are not known\. The stream surveys cannot be read without that list: leave it out of --streams\.\n {2}"0000000000abc001" {2}\? {2}\(not listed\)\n/,
    );
    const every = await dryRun({}, [], { faults });
    expect(every).toMatchObject({ code: 1, stdout: "" });
    expect(every.stderr).toMatch(/^ERROR The service refuses access .* \[forbidden\]\n$/);
  });

  it("fails if nothing is found, for a stream that there is not, and for one that cannot be read", async () => {
    const nothing = await dryRun({ survey_ids: ["nope"] });
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toMatch(/^ERROR The service answered, but found none of the ids .*"nope"/);
    const misspelt = await dryRun({}, ["--streams", "survey_respones"]);
    expect(misspelt).toMatchObject({ code: 1, stdout: "", requests: 0 });
    expect(misspelt.stderr).toMatch(/^ERROR --streams names a stream .* Did you mean survey_responses\?/);
    const unreadable = await dryRun({ personal_data: { respondent_identifiers: "omit" } });
    expect(unreadable).toMatchObject({ code: 1, stdout: "", requests: 0 });
    expect(unreadable.stderr).toContain("Stream respondent_attributes cannot be read");
  });

  it("gives up as check does, with advice for somebody who has not begun", async () => {
    const { code, stderr } = await dryRun({}, [], { faults: [{ on: "any", reply: "status_500" }] });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /ERROR The service could not answer \(.*\)\. This was tried 3 times in \d s\. Try again later\. If it continues, ask the service\. \[unavailable\]\n$/,
    );
  });

  it("quotes nothing of the service if personal data is treated", async () => {
    const quoting = { kind: "status", status: 418, body: '{"message":"PLANTED"}' } as const;
    const faults = [{ on: "any", reply: quoting }];
    expect((await dryRun({}, [], { faults })).stderr).toContain("PLANTED");
    const treated = await dryRun({ personal_data: { free_text: "omit" } }, [], { faults });
    expect(treated.stderr).toMatch(/^ERROR .*\[rejected\]\n$/);
    expect(treated.stderr).not.toContain("PLANTED");
  });

  it("is stopped by Ctrl-C, and says so", async () => {
    const silent = await serverForTest(() => {});
    const child = spawn(process.execPath, [BIN, "sync", folderForTest().path("a.sqlite"), "--dry-run"], {
      env: {
        ...process.env,
        SURVEY_EXPORT_API_KEY: "k3y-of-nobody",
        SURVEY_EXPORT_BASE_URL: `${silent.origin}/v2`,
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = once(child, "close");
    const said = text(child.stderr);
    await silent.firstRequest;
    child.kill("SIGINT");
    expect(await ended).toEqual([null, "SIGINT"]);
    expect(withoutTimes(await said)).toBe(
      "sync: stopped before the end of the dry run. Nothing was written.\n",
    );
  });
});
