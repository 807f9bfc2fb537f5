import { describe, expect, it } from "vitest";
import { type SandboxOptions, startSandbox } from "../../../sandbox/index.ts";
import { runWarm, warnings } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";
import { testSandbox } from "../../support/sandbox.ts";

const folder = testFolder();
const SOMEBODY = "00000000-0000-4000-8000-0000000000aa";
const sandbox = await testSandbox({
  surveys: [
    { id: "s1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: SOMEBODY }] },
    { id: "s2", responses: [] },
  ],
});

async function check(changes: object, url = sandbox.url) {
  const config = { base_url: url, api_key: sandbox.apiKey, survey_ids: ["s1", "s2"], ...changes };
  const { code, stderr, messages } = await runWarm(await folder.words("check", { config }));
  const verdict = messages.find(({ type }) => type === "CONNECTION_STATUS")?.connectionStatus;
  expect(stderr).toBe("");
  return { code, verdict, warnings: warnings(messages) };
}

async function checkAgainst(options: SandboxOptions, changes: object = {}) {
  const other = await startSandbox(options);
  try {
    return await check({ survey_ids: ["1001"], ...changes }, other.url);
  } finally {
    await other.close();
  }
}

describe("check", () => {
  it("succeeds, with one request for one item of each survey and respondent", async () => {
    sandbox.service.resetStats();
    const { code, verdict } = await check({ respondent_uuids: [SOMEBODY] });
    expect(verdict).toEqual({ status: "SUCCEEDED" });
    expect(code).toBe(0);
    expect(sandbox.service.stats.requests).toBe(3);
    expect(sandbox.service.stats.items).toBe(2);
    expect(sandbox.service.stats.malformed).toBe(0);
  });

  it("warns of surveys that are not found, by name, and fails if none is", async () => {
    const some = await check({ survey_ids: ["s1", "gone", "a/b?c#d"] });
    expect([some.code, some.verdict]).toEqual([0, { status: "SUCCEEDED" }]);
    expect(some.warnings).toEqual([
      'These surveys were not found: "gone", "a/b?c#d". Remove them from survey_ids, or correct their ids. A sync reads the others. [surveys_not_found]',
    ]);
    const none = await check({ survey_ids: ["gone"] });
    expect([none.code, none.verdict.status]).toEqual([0, "FAILED"]);
    expect(none.verdict.message).toContain('none of the configured surveys was found ("gone")');
  });

  it("tells a wrong key, and where the right one is", async () => {
    const { code, verdict } = await check({ api_key: "not-the-key-at-all" });
    expect(code).toBe(0);
    expect(verdict).toEqual({
      status: "FAILED",
      message:
        'The service does not accept the API key (status 401 to GET /surveys/s1/responses?items_per_page=1). It says: "The API key is missing or not valid". Copy the key again; it is shown in the service\'s web panel under Settings, Organization, Access Keys.',
    });
  });

  it("tells an account without API access", async () => {
    const { verdict } = await checkAgainst({ subscription: false });
    expect(verdict.status).toBe("FAILED");
    expect(verdict.message).toMatch(/plan/);
  });

  it("tells an address where nothing listens", async () => {
    const { code, verdict } = await check({}, "http://127.0.0.1:9/v2");
    expect(code).toBe(0);
    expect(verdict.message).toMatch(
      /^The request to the service failed \(connection refused; GET \/surveys\/s[12]\/responses\?items_per_page=1\)\. This was tried 3 times in \d s\. Check that base_url is right and that the service can be reached from here\.$/,
    );
  });

  it("tells an address that answers with a web page", async () => {
    const { verdict } = await checkAgainst({
      faults: [
        {
          on: "any",
          reply: { kind: "status", status: 200, contentType: "text/html", body: "<html>Hi</html>" },
        },
      ],
    });
    expect(verdict.message).toMatch(
      /^The service's answer to GET \/surveys\/1001\/responses\?items_per_page=1 cannot be used: it is not JSON \(it begins "<html>Hi<\/html>"\)\. This was tried \d+ times in \d+ s\. Check that base_url is the service's address; if it is, report this to the service\.$/,
    );
  });

  it("follows no redirect, since the key would travel along", async () => {
    const { verdict } = await checkAgainst({
      faults: [{ on: "any", reply: { kind: "redirect", to: "http://127.0.0.1:9{path}" } }],
    });
    expect(verdict.message).toMatch(/^The service answered with a redirect\. It is not followed/);
  });

  it("tries a sample of many ids, and says how many it did not try", async () => {
    const responses = [{ collected_at: "2026-01-01T00:00:00.000000Z" }];
    const ids = Array.from({ length: 300 }, (_, at) => `many-${at}`);
    const { verdict, warnings } = await checkAgainst(
      { surveys: ids.map((id) => ({ id, responses })) },
      { survey_ids: ids },
    );
    expect(verdict).toEqual({ status: "SUCCEEDED" });
    expect(warnings).toEqual([
      "Only 20 of the 300 configured surveys were checked, so that check answers in time. A sync names those that it cannot read. [not_all_checked]",
    ]);
  });

  it("reports every fault of the configuration, without asking the service", async () => {
    sandbox.service.resetStats();
    const { code, verdict } = await check({ items_per_page: 101, start_date: "yesterday", survey_ids: [] });
    expect(code).toBe(0);
    expect(verdict.status).toBe("FAILED");
    for (const field of ["items_per_page", "start_date", "survey_ids"])
      expect(verdict.message).toContain(field);
    expect(sandbox.service.stats.requests).toBe(0);
  });

  it.each([
    ['{\n"api_key" "secret"\n}', "is not valid JSON (line 2). Correct the file."],
    ["secret", "is not valid JSON. Correct the file."],
    [" \n", "is empty. Correct the file."],
  ])("takes a configuration that is no JSON (%j) for a fault of the configuration", async (text, fault) => {
    const { code, messages } = await runWarm(await folder.words("check", { config: text }));
    expect(code).toBe(0);
    expect(messages).toEqual([
      {
        type: "CONNECTION_STATUS",
        connectionStatus: {
          status: "FAILED",
          message: `The configuration (--config) ${fault}`,
        },
      },
    ]);
  });
});
