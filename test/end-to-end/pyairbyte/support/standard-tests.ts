import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { exampleSurveys } from "../../../../sandbox/index.ts";
import { folderForTest } from "../../../support/folder.ts";
import { addUnstorableText, sandboxForTest } from "../../../support/sandbox.ts";

/** Airbyte's CDK, which brings the tests. Another version has other tests, so other counts. */
export const CDK = "airbyte-cdk==7.39.1";
export const PYTEST = "pytest==9.2.0";

/** A configuration, by what becomes of it. Its check, and each read with it, succeeds or fails. */
interface Scenario {
  readonly config: object;
  /** What is wrong with it. The form refuses a malformed one too. */
  readonly wrong?: "refused" | "malformed";
}
export type Scenarios = Readonly<Record<string, Scenario>>;

/** A sandbox, and the configurations that the source is tried with. */
export async function scenariosOfSource(): Promise<Scenarios> {
  const { config, surveyIds, respondentUuids } = await serve();
  const hashed = { all_kinds: "hash" };
  // Without respondent_identifiers, respondent_attributes has no key.
  const omitted = { all_kinds: "omit", respondent_identifiers: "keep" };
  return {
    every_survey: { config },
    named_surveys: { config: { ...config, survey_ids: surveyIds.slice(0, 2) } },
    named_respondents: { config: { ...config, respondent_uuids: respondentUuids.slice(0, 2) } },
    dates: { config: { ...config, ...DATES } },
    hashed: { config: { ...config, personal_data: { ...hashed, hash_salt: "0123456789abcdef" } } },
    omitted: { config: { ...config, personal_data: omitted } },
    ...failing(config),
    short_salt: {
      config: { ...config, personal_data: { ...hashed, hash_salt: "short" } },
      wrong: "malformed",
    },
  };
}

/** A sandbox, and the configurations that the manifest is tried with. It reads only named surveys. */
export async function scenariosOfManifest(): Promise<Scenarios> {
  const { config: every, surveyIds } = await serve();
  const config = { ...every, survey_ids: surveyIds };
  return {
    named_surveys: { config },
    dates: { config: { ...config, ...DATES } },
    ...failing(config),
    no_survey: { config: every, wrong: "refused" },
    hashed: { config: { ...config, personal_data: { free_text: "hash" } }, wrong: "malformed" },
  };
}

const DATES = {
  start_date: "2024-06-01T00:00:00Z",
  end_date: "2026-06-01T00:00:00Z",
  lookback_window: "P1D",
};

const failing = (config: object): Scenarios => ({
  wrong_key: { config: { ...config, api_key: "no-such-key" }, wrong: "refused" },
  no_key: { config: { ...config, api_key: undefined }, wrong: "malformed" },
  no_date: { config: { ...config, start_date: "yesterday" }, wrong: "malformed" },
});

async function serve() {
  const { url, apiKey, service } = await sandboxForTest({ surveys: exampleSurveys(60, 11) });
  addUnstorableText(service);
  const config = { base_url: url, api_key: apiKey, attributes: ["plan", "email"] };
  const surveyIds = service.truth.surveyIds();
  const respondentUuids = surveyIds.flatMap((id) => [...service.truth.respondents(id)]);
  return { config, surveyIds, respondentUuids };
}

/** What runs the tests. */
interface Runner {
  readonly python: string;
  /** What PATH begins with. */
  readonly before: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a suite of standard_tests.py in a connector's folder as Airbyte wants it, with our file about the connector.
 *
 * @returns of each test, how many scenarios passed and how many it skipped
 * @throws with all that was printed, if one failed
 */
export async function standardTests(
  suite: string,
  described: string,
  scenarios: Scenarios,
  { python, before, env = {} }: Runner,
): Promise<Readonly<Record<string, string>>> {
  const folder = folderForTest().path();
  const connector = join(folder, "source-survey-export");
  const inside = (name: string) => join(connector, name);
  await mkdir(inside("secrets"), { recursive: true });
  for (const [name, { config }] of Object.entries(scenarios)) {
    await writeFile(inside(`secrets/${name}.json`), JSON.stringify(config));
  }
  // JSON is YAML.
  await writeFile(inside("acceptance-test-config.yml"), JSON.stringify(acceptanceTests(scenarios)));
  await cp(join(import.meta.dirname, "standard_tests.py"), inside("standard_tests.py"));
  await cp(described, inside(basename(described)));
  const read = Object.keys(scenarios).join(",");
  const words = [
    ...["-m", "pytest", `standard_tests.py::${suite}`, "--verbose"],
    // Those of an image are a suite of their own.
    ...["-m", suite === "TestImage" ? "image_tests" : "not image_tests"],
    ...["-p", "airbyte_cdk.test.standard_tests.pytest_hooks", "-p", "no:cacheprovider"],
    ...["-W", "error::airbyte_cdk.test.standard_tests.DiscoveredCatalogWarning"],
    ...["--connector-image", "the-image", "--read-from-streams", "all", "--read-scenarios", read],
  ];
  const { stdout } = await promisify(execFile)(python, words, {
    cwd: connector,
    maxBuffer: 1 << 30,
    env: {
      HOME: folder,
      ...env,
      // The bin is started by its first line, so a new enough Node comes first.
      PATH: [...before, join(process.execPath, ".."), process.env.PATH].join(":"),
      DO_NOT_TRACK: "1",
      PYTHONDONTWRITEBYTECODE: "1",
    },
  }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}\n${stderr}`);
  });
  return outcomes(stdout);
}

/** Airbyte's file that says what to run with which configuration. A failing one is not discovered. */
function acceptanceTests(scenarios: Scenarios): object {
  const tests = (chosen: (wrong: Scenario["wrong"]) => boolean, status = false) => ({
    tests: Object.entries(scenarios)
      .filter(([, { wrong }]) => chosen(wrong))
      .map(([name, { wrong }]) => ({
        config_path: `secrets/${name}.json`,
        ...(status ? { status: wrong === undefined ? "succeed" : "failed" } : {}),
      })),
  });
  const every = () => true;
  return {
    connector_image: "the-image",
    test_strictness_level: "high",
    acceptance_tests: {
      spec: tests((wrong) => wrong !== "malformed"),
      connection: tests(every, true),
      discovery: tests((wrong) => wrong === undefined),
      basic_read: tests(every),
      full_refresh: tests(every),
    },
  };
}

/** From pytest's lines, such as `standard_tests.py::TestProgram::test_check['dates' Test Scenario] PASSED [ 12%]`. */
function outcomes(printed: string): Record<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const [, name = "", outcome = ""] of printed.matchAll(/::(test_\w+)(?:\[.*?\])? ([A-Z]+)/g)) {
    const of = counts.get(name) ?? new Map<string, number>();
    counts.set(name, of.set(outcome, (of.get(outcome) ?? 0) + 1));
  }
  return Object.fromEntries(
    [...counts].map(([name, of]) => [
      name,
      [...of].map(([outcome, count]) => `${count} ${outcome.toLowerCase()}`).join(", "),
    ]),
  );
}
