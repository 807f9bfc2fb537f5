import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../sandbox/index.ts";
import { runWarm, warnings } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { configOf, sandboxForTest, testSandbox } from "../../support/sandbox.ts";

const folder = testFolder();
const SOMEBODY = "00000000-0000-4000-8000-0000000000aa";
const sandbox = await testSandbox({
  surveys: [
    { id: "s1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: SOMEBODY }] },
    { id: "s2", responses: [] },
  ],
});

/** The result of a check, as the status and its message. The exit code is 0 for each, as Airbyte demands. */
async function check(changes: object, url = sandbox.url) {
  const config = configOf(sandbox, { base_url: url, ...changes });
  const { code, stderr, messages } = await runWarm(await folder.words("check", { config }));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { status, message } = messages.at(-1)!.connectionStatus;
  return { status, message, warnings: warnings(messages) };
}

const checkAgainst = async (options: SandboxOptions, changes: object = {}) =>
  check({ survey_ids: ["1001"], ...changes }, (await sandboxForTest(options)).url);

describe("check", () => {
  it("succeeds, with one request for one item of each survey and respondent", async () => {
    sandbox.service.resetStats();
    expect(await check({ respondent_uuids: [SOMEBODY] })).toEqual({ status: "SUCCEEDED", warnings: [] });
    const { requests, items, malformed } = sandbox.service.stats;
    expect({ requests, items, malformed }).toEqual({ requests: 3, items: 2, malformed: 0 });
  });

  it("warns of surveys and respondents that are not found, by name, and fails if no survey is", async () => {
    const nobody = "00000000-0000-4000-8000-00000000ffff";
    // Named in the order of the configuration, whichever answer comes first.
    sandbox.service.addFaults({ on: "/surveys/gone/", reply: { kind: "delay", ms: 300 } });
    const some = await check({ survey_ids: ["s1", "gone", "a/b?c#d"], respondent_uuids: [nobody] });
    expect(some).toMatchObject({
      status: "SUCCEEDED",
      warnings: [
        'These surveys were not found: "gone", "a/b?c#d". A sync reads the others, and fails until you remove them from survey_ids or correct their ids. [surveys_not_found]',
        `These respondents were not found: "${nobody}". A sync reads the others, and fails until you remove them from respondent_uuids or correct their ids. [respondents_not_found]`,
      ],
    });
    const none = await check({ survey_ids: ["gone"] });
    expect([none.status, none.message]).toEqual([
      "FAILED",
      `The service answered, but found none of the ids that were tried ("gone"). Correct survey_ids and respondent_uuids, and check that base_url ("${sandbox.url}") is the service's address up to and including /v2.`,
    ]);
  });

  it("tells a wrong key, and where the right one is", async () => {
    const { status, message } = await check({ api_key: "not-the-key-at-all" });
    expect(status).toBe("FAILED");
    expect(message).toMatch(
      /^The service does not accept the API key \(status 401 to GET \/surveys\/s1\/responses\?items_per_page=1\)\. It says: "The API key is missing or not valid"\. This was tried \d times in \d s\. Copy the key again; it is shown in the service's web panel under Settings, Organization, Access Keys\.$/,
    );
  });

  it("tries the first of many ids, and says in one line how many it did not try", async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `many-${at}`);
    const surveys = ids.map((id) => ({ id, responses: [] }));
    const respondent_uuids = Array.from({ length: 8 }, (_, at) => SOMEBODY.replace(/.$/, String(at)));
    expect(await checkAgainst({ surveys }, { survey_ids: ids, respondent_uuids })).toMatchObject({
      status: "SUCCEEDED",
      warnings: [
        "Only 25 of the 308 configured surveys and respondents were checked, so that the answer comes in time. Look into the log of the first sync: it names those that it cannot read. [not_checked]",
      ],
    });
  });

  it.each([
    [{ items_per_page: 101, start_date: "yesterday" }, "The configuration has 2 errors. start_date does not"],
    [
      '{\n"api_key" "secret"\n}',
      "The configuration (--config) is not valid JSON at line 2, column 11 (FILE). Correct the file.",
    ],
    [
      "secret",
      "The configuration (--config) is not valid JSON at line 1, column 1 (FILE). Correct the file.",
    ],
    [" \n", "The configuration (--config) is empty (FILE). Correct the file."],
  ])("takes %j for a fault of the configuration, without asking the service", async (given, fault) => {
    sandbox.service.resetStats();
    const config = typeof given === "string" ? given : configOf(sandbox, given);
    const { code, messages } = await runWarm(await folder.words("check", { config }));
    expect(code).toBe(0);
    expect(messages).toEqual([
      {
        type: "CONNECTION_STATUS",
        connectionStatus: {
          status: "FAILED",
          message: expect.stringContaining(fault.replace("FILE", `"${folder.path("config.json")}"`)),
        },
      },
    ]);
    expect(sandbox.service.stats.requests).toBe(0);
  });
});
