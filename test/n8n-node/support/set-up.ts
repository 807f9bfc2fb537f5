import type { INodeExecutionData, INodeParameters, NodeApiError } from "n8n-workflow";
import { beforeEach, expect } from "vitest";
import type { SandboxOptions } from "../../../sandbox/index.ts";
import { surveyOf, testSandbox } from "../../support/sandbox.ts";
import { Engine } from "./engine.ts";

/**
 * For the tests of a file: an engine, the sandbox that serves it, and the account that its credential holds. Each test
 * begins with the right account and a sandbox without faults.
 */
export async function startEngine(options: SandboxOptions = {}) {
  const sandbox = await testSandbox(options);
  const right = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
  const account = { ...right };
  const engine = await Engine.start(() => account);
  beforeEach(() => {
    Object.assign(account, right);
    sandbox.service.clearFaults();
    sandbox.service.resetStats();
  });
  return {
    sandbox,
    engine,
    account,
    /** What a run fails with. */
    async messageOf(parameters: INodeParameters) {
      const { error } = await engine.run(parameters);
      return [error?.message, error?.description];
    },
    /** All responses of the survey 1001. */
    newestFirst: () => [...sandbox.service.truth.responses("1001")].reverse(),
  };
}

/** What `asked` fails with. */
export const errorOf = (asked: Promise<unknown>): Promise<NodeApiError> =>
  asked.then(
    () => expect.fail("Nothing failed"),
    (thrown) => thrown,
  );

/** The survey 1001 with this many responses. */
export const surveys = (count: number) => [surveyOf("1001", count, { seed: 1, respondents: 60 })];

export const ofSurvey = (parameters: INodeParameters = {}): INodeParameters => ({
  resource: "surveyResponse",
  operation: "getAll",
  surveyId: "1001",
  ...parameters,
});

export const ofRespondent = (
  resource: "respondentResponse" | "respondentAttribute",
  respondentId: string,
  parameters: INodeParameters = {},
): INodeParameters => ({ resource, operation: "getAll", respondentId, ...parameters });

export const uuidsOf = (items: readonly INodeExecutionData[] | undefined) =>
  items?.map(({ json }) => json.response_uuid ?? json.uuid);

/** As the service writes a time: so many seconds after the first of July. */
export const at = (second: number): string =>
  new Date(Date.UTC(2026, 6, 1) + second * 1_000).toISOString().replace("Z", "000Z");
