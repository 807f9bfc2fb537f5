import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject, INodeExecutionData } from "n8n-workflow";
import { Agent, fetch } from "undici";
import type { InstalledN8n } from "./install-n8n.ts";

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
  readonly mode: string;
  /** Items of a node's first output, or undefined when the node did not run. */
  items(node: string): INodeExecutionData[] | undefined;
  readonly error: { message: string; description?: string } | undefined;
}

/** n8n's own REST interface, as its editor uses it, signed in as the owner. */
export class RestClient {
  readonly #url: string;
  readonly #parse: (text: string) => { resultData: ResultData };
  #cookie = "";

  private constructor(url: string, n8n: InstalledN8n) {
    this.#url = url;
    this.#parse = createRequire(join(n8n.modules, "n8n/package.json"))("flatted").parse;
  }

  /** Makes the owner's account of a fresh instance and signs in. */
  static async setUp(url: string, n8n: InstalledN8n): Promise<RestClient> {
    const client = new RestClient(url, n8n);
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
    return await this.#text(
      "GET",
      `/rest/binary-data?${new URLSearchParams({ id: binaryId, action: "view" })}`,
    );
  }

  /** Calls an active workflow's webhook, which n8n may register a moment after the activation. */
  async webhook(path: string, body: unknown = {}): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${this.#url}/webhook/${path}`, {
        dispatcher,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (answer.ok) return await answer.json();
      const text = await answer.text();
      if (answer.status !== 404 || tries === 60) throw new Error(`${answer.status}: ${text.slice(0, 500)}`);
      await sleep(500);
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

  async create(workflow: object): Promise<{ id: string }> {
    return await this.call("POST", "/rest/workflows", workflow);
  }

  async createCredential(data: IDataObject): Promise<{ id: string; name: string }> {
    const body = { name: "Survey Export account", type: "surveyExportApi", data };
    const { id, name } = await this.call<{ id: string; name: string }>("POST", "/rest/credentials", body);
    return { id, name };
  }

  async testCredential(credential: { id: string; name: string }, data: IDataObject) {
    const credentials = { ...credential, type: "surveyExportApi", data };
    return await this.call<{ status: string; message: string }>("POST", "/rest/credentials/test", {
      credentials,
    });
  }

  /** Runs a workflow from one of its nodes, as the button in the editor does. */
  async run(workflowId: string, startFrom: string): Promise<Execution> {
    const workflowData = await this.call("GET", `/rest/workflows/${workflowId}`);
    const { executionId } = await this.call<{ executionId: string }>(
      "POST",
      `/rest/workflows/${workflowId}/run`,
      {
        workflowData,
        triggerToStartFrom: { name: startFrom },
        startNodes: [],
      },
    );
    return await this.#ended(executionId);
  }

  async activate(workflowId: string): Promise<void> {
    const { versionId } = await this.call<{ versionId: string }>("GET", `/rest/workflows/${workflowId}`);
    await this.call("POST", `/rest/workflows/${workflowId}/activate`, { versionId });
  }

  async deactivate(workflowId: string): Promise<void> {
    await this.call("POST", `/rest/workflows/${workflowId}/deactivate`);
  }

  /** What the workflow's trigger has stored; null before its first poll. */
  async memoryOf(workflowId: string): Promise<IDataObject | null> {
    const { staticData } = await this.call<{ staticData: IDataObject | null }>(
      "GET",
      `/rest/workflows/${workflowId}`,
    );
    return staticData;
  }

  /** The executions that polls started, or webhooks, oldest first. */
  async executionsOf(workflowId: string, startedBy: "trigger" | "webhook" = "trigger"): Promise<Execution[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const { results } = await this.call<{ results: { id: string; mode: string }[] }>(
      "GET",
      `/rest/executions?filter=${filter}&limit=50`,
    );
    const started = results.filter(({ mode }) => mode === startedBy);
    const executions = await Promise.all(started.map(({ id }) => this.#ended(id)));
    return executions.sort((one, other) => Number(one.id) - Number(other.id));
  }

  /** The stored data of all executions, as text, also of those that a crash ended. */
  async executionTexts(workflowId: string): Promise<string[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const { results } = await this.call<{ results: { id: string }[] }>(
      "GET",
      `/rest/executions?filter=${filter}&limit=100`,
    );
    const executions = results.map(({ id }) => this.call<{ data: string }>("GET", `/rest/executions/${id}`));
    return (await Promise.all(executions)).map(({ data }) => data);
  }

  async #ended(executionId: string): Promise<Execution> {
    for (let tries = 0; tries < 3_000; tries++) {
      const execution = await this.call<{ status: string; mode: string; data: string }>(
        "GET",
        `/rest/executions/${executionId}`,
      );
      if (!["new", "running", "waiting", "unknown"].includes(execution.status)) {
        const { resultData } = this.#parse(execution.data);
        return {
          id: executionId,
          status: execution.status,
          mode: execution.mode,
          error: resultData.error,
          items: (node) => resultData.runData[node]?.[0]?.data?.main?.[0],
        };
      }
      await sleep(100);
    }
    throw new Error(`Execution ${executionId} did not end within five minutes`);
  }
}
