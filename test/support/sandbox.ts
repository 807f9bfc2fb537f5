import { afterAll, onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, type Service, startSandbox } from "../../sandbox/index.ts";

/** A sandbox for the tests of a file, which is closed after them. */
export async function testSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  afterAll(() => sandbox.close());
  return sandbox;
}

/** A sandbox for the running test, which is closed after it. */
export async function sandboxForTest(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The program's configuration that reads all surveys of a sandbox. `more` adds to it, or takes the place of a part. */
export const configOf = ({ url, apiKey, service }: Sandbox, more: object = {}) => ({
  base_url: url,
  api_key: apiKey,
  survey_ids: service.truth.surveyIds(),
  ...more,
});

const GENERATED = {
  seed: 7,
  density: "even" as const,
  respondents: 20,
  from: "2025-01-01T00:00:00.000000Z",
  to: "2026-09-30T00:00:00.000000Z",
};

/** A survey with so many responses, evenly spread. */
export const surveyOf = (id: string, count: number, change: Partial<typeof GENERATED> = {}) => ({
  id,
  responses: { ...GENERATED, ...change, count },
});

/** One more response, with half of an emoji and a NUL, as a client's limit of length or a faulty form leaves them. */
export function addUnstorableText(service: Service): void {
  const [surveyId = ""] = service.truth.surveyIds();
  const url = "https://www.example.com/\ud83d and \u0000";
  service.collect(surveyId, [{ collected_at: "2026-01-15T12:00:00.000000Z", fields: { url } }]);
}
