import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject, INodeExecutionData } from "n8n-workflow";
import { Agent, fetch } from "undici";
import { expect, inject } from "vitest";

/** A connection for each request: n8n may close one that is kept while it is busy with a large execution. */
const dispatcher = new Agent({ pipelining: 0 });

export const OWNER = { email: "owner@example.com", password: "Passw0rd-of-nobody" };

interface ResultData {
  readonly error?: { message: string; description?: string };
  readonly runData: Record<string, { data?: { main?: INodeExecutionData[][] } }[]>;
}

export interface Execution {
  readonly id: string;
  readonly status: string;
  /** Items of a node's output, by default its first one, or undefined when the node did not run. */
  items(node: string, output?: number): INodeExecutionData[] | undefined;
  /** In n8n's own words. */
  readonly failure: string | undefined;
}

/** n8n's own REST interface, as its editor uses it, signed in as the owner. */
export class RestClient {
  readonly #url: string;
  readonly #parse: (text: string) => { resultData: ResultData };
  #cookie = "";

  private constructor(url: string) {
    this.#url = url;
    this.#parse = createRequire(join(inject("n8n"), "n8n/package.json"))("flatted").parse;
  }

  /** Makes the owner's account of a fresh instance and signs in. */
  static async setUp(url: string): Promise<RestClient> {
    const client = new RestClient(url);
    await client.call("POST", "/rest/owner/setup", { ...OWNER, firstName: "Olive", lastName: "Owner" });
    await client.call("POST", "/rest/login", { emailOrLdapLoginId: OWNER.email, password: OWNER.password });
    return client;
  }

  async call<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer> {
    const json = JSON.parse(await this.#text(method, path, body));
    return json.data ?? json;
  }

  /** The text of a file that a node made. */
  async fileText(binaryId: string): Promise<string> {
    return await this.#text("GET", `/rest/binary-data?id=${encodeURIComponent(binaryId)}&action=view`);
  }

  /** Calls an active workflow's webhook, which n8n may register a moment after the activation. */
  async webhook(path: string, body: unknown = {}): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      try {
        return JSON.parse(await this.#text("POST", `/webhook/${path}`, body));
      } catch (thrown) {
        if (tries === 60 || !String(thrown).includes("answered with 404")) throw thrown;
        await sleep(500);
      }
    }
  }

  async #text(method: string, path: string, body?: unknown): Promise<string> {
    const answer = await fetch(this.#url + path, {
      dispatcher,
      method,
      headers: {
        "content-type": "application/json",
        "browser-id": "survey-export-tests",
        cookie: this.#cookie,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookies = answer.headers.getSetCookie();
    if (cookies.length > 0) this.#cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(`${method} ${path} was answered with ${answer.status}: ${text.slice(0, 500)}`);
    return text;
  }

  async create(workflow: object): Promise<string> {
    return (await this.call<{ id: string }>("POST", "/rest/workflows", workflow)).id;
  }

  async createCredential(data: IDataObject, type = "surveyExportApi"): Promise<{ id: string; name: string }> {
    const body = { name: `Account of ${type}`, type, data };
    const { id, name } = await this.call<{ id: string; name: string }>("POST", "/rest/credentials", body);
    return { id, name };
  }

  /** Runs a workflow from one of its nodes, as the button in the editor does, to its good end. */
  async run(workflowId: string, startFrom: string): Promise<Execution> {
    const workflowData = await this.call("GET", `/rest/workflows/${workflowId}`);
    const body = { workflowData, triggerToStartFrom: { name: startFrom }, startNodes: [] };
    const path = `/rest/workflows/${workflowId}/run`;
    const { executionId } = await this.call<{ executionId: string }>("POST", path, body);
    const execution = await this.#ended(executionId);
    expect(execution.failure).toBe(undefined);
    return execution;
  }

  async activate(workflowId: string): Promise<void> {
    const { versionId } = await this.call<{ versionId: string }>("GET", `/rest/workflows/${workflowId}`);
    await this.call("POST", `/rest/workflows/${workflowId}/activate`, { versionId });
  }

  /** Activates a workflow with our trigger, and waits for its first poll. */
  async watch(workflowId: string): Promise<void> {
    await this.activate(workflowId);
    while (!(await this.memoryOf(workflowId))) await sleep(200);
  }

  async deactivate(workflowId: string): Promise<void> {
    await this.call("POST", `/rest/workflows/${workflowId}/deactivate`);
  }

  /** What the workflow's trigger has stored; null before its first poll. */
  async memoryOf(workflowId: string): Promise<IDataObject | null> {
    const path = `/rest/workflows/${workflowId}`;
    return (await this.call<{ staticData: IDataObject | null }>("GET", path)).staticData;
  }

  async #executions(workflowId: string): Promise<{ id: string; mode: string }[]> {
    const path = `/rest/executions?filter=${encodeURIComponent(JSON.stringify({ workflowId }))}&limit=100`;
    return (await this.call<{ results: { id: string; mode: string }[] }>("GET", path)).results;
  }

  /** The executions that polls started, or webhooks, oldest first. */
  async executionsOf(workflowId: string, startedBy: "trigger" | "webhook" = "trigger"): Promise<Execution[]> {
    const started = (await this.#executions(workflowId)).filter(({ mode }) => mode === startedBy);
    const executions = await Promise.all(started.map(({ id }) => this.#ended(id)));
    return executions.sort((one, other) => Number(one.id) - Number(other.id));
  }

  /** The stored data of all executions, as text, also of those that a crash ended. */
  async executionTexts(workflowId: string): Promise<string[]> {
    const executions = (await this.#executions(workflowId)).map(({ id }) => this.#execution(id));
    return (await Promise.all(executions)).map(({ data }) => data);
  }

  #execution(id: string): Promise<{ status: string; data: string }> {
    return this.call("GET", `/rest/executions/${id}`);
  }

  async #ended(id: string): Promise<Execution> {
    for (let tries = 0; tries < 3_000; tries++) {
      const { status, data } = await this.#execution(id);
      if (!["new", "running", "waiting", "unknown"].includes(status)) {
        const { error, runData } = this.#parse(data).resultData;
        return {
          id,
          status,
          failure: error && `${error.message} ${error.description ?? ""}`,
          items: (node, output = 0) => runData[node]?.[0]?.data?.main?.[output],
        };
      }
      await sleep(100);
    }
    throw new Error(`Execution ${id} did not end within five minutes`);
  }
}
