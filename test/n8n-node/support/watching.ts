import type { IDataObject, INodeParameters, NodeApiError } from "n8n-workflow";
import { afterAll, beforeEach } from "vitest";
import { type Fault, type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { surveyOf } from "../../support/sandbox.ts";
import { Engine, type PollOptions } from "./engine.ts";

export const survey = (id: string, count: number) =>
  surveyOf(id, count, { to: "2026-06-30T00:00:00.000000Z" });

export const respondent = (index: number) => `${String(index).padStart(8, "0")}-1111-4111-8111-111111111111`;

/** The trigger of one run of n8n, its memory, and a sandbox with the surveys 1 and 2. */
export class Watching {
  memory: IDataObject = {};
  sandbox: Sandbox;
  readonly engine: Engine;

  constructor(sandbox: Sandbox, engine: Engine) {
    this.sandbox = sandbox;
    this.engine = engine;
  }

  get service() {
    return this.sandbox.service;
  }

  /** Begins again, with other surveys and a new node. */
  async restart(surveys = [survey("1", 250), survey("2", 30)]): Promise<void> {
    await this.sandbox.close();
    this.sandbox = await startSandbox({ surveys, limits: false });
    this.memory = {};
    this.engine.nodeId = crypto.randomUUID();
  }

  /** A poll of the survey 1, if the parameters name no others, with the memory as it is. */
  async poll(parameters: INodeParameters = {}, options: PollOptions = {}, memory = this.memory) {
    const given = { event: "surveyResponse", surveyIds: "1", ...parameters };
    const { items, reported } = await this.engine.poll(given, memory, options);
    return {
      /** The responses that it hands over, by UUID. */
      ids: items?.map(({ json }) => String(json.response_uuid ?? json.uuid)) ?? null,
      plans: (items ?? []).map(({ json }) => json.attribute_plan),
      reported: reported as readonly NodeApiError[],
      messages: reported.map(({ message }) => message),
    };
  }

  /** What a poll hands over after a restart: the memory goes through the database each time. */
  async ids(parameters: INodeParameters = {}, options: PollOptions = {}): Promise<string[] | null> {
    this.memory = JSON.parse(JSON.stringify(this.memory));
    return (await this.poll(parameters, options)).ids;
  }

  /** Responses of these respondents, who have a plan, a second apart, from the first of July on. */
  answered(surveyId: string, indexes: readonly number[]): string[] {
    const attributes = (index: number) => [{ name: "plan", value: `p${index}` }];
    for (const index of indexes)
      this.service.describe({ uuid: respondent(index), attributes: attributes(index) });
    return this.service.collect(
      surveyId,
      indexes.map((index) => ({
        collected_at: new Date(Date.UTC(2026, 6, 1) + index * 1_000).toISOString().replace("Z", "000Z"),
        respondent_uuid: respondent(index),
      })),
    );
  }

  /** The service shows nobody this respondent's attributes. */
  refusing(index: number): Fault {
    return { on: `${respondent(index)}/attributes`, reply: { kind: "status", status: 403 } };
  }

  collect(surveyId: string, count: number, lateByMs?: number): string[] {
    return this.service.collect(surveyId, lateByMs === undefined ? { count } : { count, lateByMs });
  }
}

async function watch(sandbox: Sandbox): Promise<Watching> {
  const account = () => ({ baseUrl: watching.sandbox.url, apiKey: watching.sandbox.apiKey });
  const watching: Watching = new Watching(sandbox, await Engine.start(account));
  return watching;
}

/** For the tests of a file. Each begins with surveys of its own. */
export async function startWatching(): Promise<Watching> {
  const watching = await watch(await startSandbox({ surveys: [] }));
  beforeEach(() => watching.restart());
  afterAll(() => watching.sandbox.close());
  return watching;
}

/** Another run of n8n, which knows of the one before what is stored, maybe with another service. */
export async function inAnotherRun(before: Watching, sandbox = before.sandbox): Promise<Watching> {
  const watching = await watch(sandbox);
  watching.memory = before.memory;
  return watching;
}
