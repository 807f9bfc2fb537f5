import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/index.ts";
import { createFolder } from "./bin.ts";
import { runWarm } from "./warm-bin.ts";

let folder: Awaited<ReturnType<typeof createFolder>>;
let sandbox: Sandbox;
const SOMEBODY = "00000000-0000-4000-8000-0000000000aa";
const NOBODY = "00000000-0000-4000-8000-0000000000bb";

beforeAll(async () => {
  folder = await createFolder();
  sandbox = await startSandbox({
    surveys: [
      { id: "s1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: SOMEBODY }] },
      { id: "s2", responses: [] },
    ],
  });
});
afterAll(async () => {
  await sandbox.close();
  await folder.remove();
});

async function check(changes: object, url = sandbox.url) {
  const config = { base_url: url, api_key: sandbox.apiKey, survey_ids: ["s1", "s2"], ...changes };
  const { code, stderr, messages } = await runWarm([
    "check",
    "--config",
    await folder.file("config.json", config),
  ]);
  const verdict = messages.find(({ type }) => type === "CONNECTION_STATUS")?.connectionStatus;
  const warnings = messages.filter(({ type, log }) => type === "LOG" && log.level === "WARN");
  expect(stderr).toBe("");
  return { code, verdict, warnings: warnings.map(({ log }) => log.message) };
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

  it("names the surveys that are not found", async () => {
    const { code, verdict } = await check({ survey_ids: ["s1", "gone", "a/b?c#d"] });
    expect(code).toBe(0);
    expect(verdict).toEqual({
      status: "FAILED",
      message:
        'These surveys were not found: "gone", "a/b?c#d". Remove them from survey_ids, or correct their ids.',
    });
  });

  it("suspects the address when no survey is found", async () => {
    const { verdict } = await check({ survey_ids: ["gone"] });
    expect(verdict.message).toBe(
      `The service answered, but none of the configured surveys was found ("gone"). Correct survey_ids, and check that base_url ("${sandbox.url}") is the service's address up to and including /v2.`,
    );
  });

  it("only warns about respondents that are not found: people get deleted", async () => {
    const { code, verdict, warnings } = await check({ respondent_uuids: [NOBODY] });
    expect([code, verdict.status]).toEqual([0, "SUCCEEDED"]);
    expect(warnings).toEqual([
      `These respondents were not found: "${NOBODY}". They are skipped; remove them from respondent_uuids if they were deleted, or correct their ids. [respondents_not_found]`,
    ]);
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

  it("warns about a field that is misspelt, and names the right one", async () => {
    const { verdict, warnings } = await check({ "start-date": "2026-01-01T00:00:00Z", __injected: 1 });
    expect(verdict).toEqual({ status: "SUCCEEDED" });
    expect(warnings).toEqual([
      'The configuration\'s field "start-date" is ignored. Did you mean start_date? [misspelt_setting]',
    ]);
  });

  it("warns about a start date in the future", async () => {
    const { verdict, warnings } = await check({ start_date: "2999-01-01T00:00:00Z" });
    expect(verdict).toEqual({ status: "SUCCEEDED" });
    expect(warnings).toEqual([
      "start_date is in the future, so no responses are read until then. Correct it if that is not meant. [start_date_in_future]",
    ]);
  });

  it("refuses a short salt without showing it", async () => {
    const { verdict } = await check({ personal_data: { free_text: "hash", hash_salt: "pepper-2024-abc" } });
    expect(verdict.status).toBe("FAILED");
    expect(verdict.message).toContain("personal_data.hash_salt is shorter than 16 characters");
    expect(JSON.stringify(verdict)).not.toContain("pepper");
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
    ['{\n"api_key": "se', "ends too early (line 2). Write the whole JSON into the file."],
    [
      '{\n"api_key": "secret",\n"base_url":\n\n',
      "ends too early (line 3). Write the whole JSON into the file.",
    ],
    ["secret", "is not valid JSON. Correct the file."],
    [" \n", "is empty. Write its JSON into the file."],
  ])("takes a configuration that is no JSON (%j) for a fault of the configuration", async (text, fault) => {
    const { code, messages } = await runWarm(["check", "--config", await folder.file("bad.json", text)]);
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
