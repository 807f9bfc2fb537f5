import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import type { Transport } from "@survey-export/core";
import type * as Core from "n8n-core";
import type * as Workflow from "n8n-workflow";
import type {
  ICredentialType,
  IDataObject,
  INode,
  INodeCredentialTestResult,
  INodeParameters,
  INodePropertyOptions,
  INodeType,
  IWorkflowBase,
  NodeApiError,
} from "n8n-workflow";
import type { transportOf } from "../../../n8n-node/nodes/SurveyExport/shared/host.ts";
import { bundleInto } from "../../../n8n-node/scripts/bundle.mts";

const SOURCES = join(import.meta.dirname, "../../../n8n-node");
/** A folder for files that nobody keeps. */
const CACHE = join(SOURCES, ".survey-export");
/** Where n8n's engine looks for an instance, and writes its key: one for each worker, used by all its test files. */
process.env.N8N_USER_FOLDER ??= join(CACHE, `n8n-${process.env.VITEST_POOL_ID}`);
process.env.N8N_ENCRYPTION_KEY ??= "tests";
process.env.N8N_DIAGNOSTICS_ENABLED = "false";
process.env.N8N_LOG_LEVEL = "silent";

const require = createRequire(import.meta.url);
require("reflect-metadata");
const core = require("n8n-core") as typeof Core;
const n8n = require("n8n-workflow") as typeof Workflow;
const { Container } = require("@n8n/di");
const { Logger } = require("@n8n/backend-common");

interface BuiltPackage {
  /** By the name that workflows use, such as `n8n-nodes-survey-export.surveyExport`. */
  readonly nodes: Readonly<Record<string, INodeType>>;
  readonly credential: ICredentialType;
  readonly transportOf: typeof transportOf;
}

const TRANSPORT = "nodes/SurveyExport/shared/host";
/** Each load gets a folder, and with it modules, of its own: as in another run of n8n. */
let loads = 0;

/**
 * The n8n package, bundled as for publishing and loaded as n8n loads it: by file, the class by the file's name.
 * Testing the bundle and not the sources also keeps one copy of n8n-workflow, so that its classes are the engine's.
 */
async function loadBuiltPackage(): Promise<BuiltPackage> {
  const folder = join(CACHE, `${process.pid}-${++loads}`);
  try {
    await bundleInto(join(folder, "dist"), [`${TRANSPORT}.ts`]);
    const manifest = JSON.parse(readFileSync(join(SOURCES, "package.json"), "utf8"));
    const make = (file: string) => new (require(join(folder, file))[basename(file).split(".")[0]!])();
    const nodes: INodeType[] = manifest.n8n.nodes.map(make);
    return {
      nodes: Object.fromEntries(nodes.map((node) => [`${manifest.name}.${node.description.name}`, node])),
      credential: make(manifest.n8n.credentials[0]),
      transportOf: require(join(folder, "dist", `${TRANSPORT}.js`)).transportOf,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface RunOptions {
  readonly input?: readonly IDataObject[];
  readonly onError?: INode["onError"];
  readonly timezone?: string;
  /** As the type that n8n makes of the node for agents. */
  readonly tool?: boolean;
  /** Given the means to cancel the execution, as a user would by the button. */
  readonly onStarted?: (cancel: () => void) => void;
}

export interface PollOptions {
  readonly mode?: "trigger" | "manual";
  /** The time that n8n gives the poll. */
  readonly budgetMs?: number;
}

/**
 * n8n's own engine without its server and database. Workflows, expressions, parameters, the HTTP helper, the
 * credential's signature, paired items, error outputs and poll contexts are n8n's. Only the lookup of nodes and
 * credentials is ours. The slow suite tests the rest: credential store, lazy loading, the editor.
 */
export class Engine {
  readonly #package: BuiltPackage;
  readonly #account: () => Account;

  /** The ID of the node that runs: what is remembered of one is unknown to another. */
  nodeId = "node";

  /** Called when n8n reads a credential and signs a request with it. A test may let it throw. */
  onCredential: (step: "read" | "sign") => void = () => {};

  static async start(account: () => Account): Promise<Engine> {
    return new Engine(await loadBuiltPackage(), account);
  }

  private constructor(built: BuiltPackage, account: () => Account) {
    this.#package = built;
    this.#account = account;
  }

  /** The node's transport in an execution of its own. */
  async ask(timeoutMs: number, ...call: Parameters<Transport>): ReturnType<Transport> {
    const node = this.#node("surveyExport", {});
    const { data, workflow } = this.#workflow(node);
    const context = new core.ExecuteContext(
      workflow,
      workflow.getNode("Node")!,
      this.#additional(data),
      "manual",
      n8n.createRunExecutionData({}),
      0,
      [],
      { main: [[]] },
      { node, data: { main: [[]] }, source: null },
      [],
    ) as unknown as Workflow.IExecuteFunctions;
    return await this.#package.transportOf(context, { ...this.#account() }, timeoutMs)(...call);
  }

  /** n8n's own. */
  get logger(): Workflow.Logger {
    return Container.get(Logger);
  }

  node(name: "surveyExport" | "surveyExportTrigger"): INodeType {
    return this.#package.nodes[`n8n-nodes-survey-export.${name}`]!;
  }

  /**
   * Runs the action node on incoming items, through the whole of n8n's execution. `outputs`: the second is the error
   * output, if the node has one. `hints` are shown with them.
   */
  async run(parameters: INodeParameters, options: RunOptions = {}) {
    const node = this.#node("surveyExport", parameters, options);
    const { data, workflow } = this.#workflow(node, options.timezone);
    const started = n8n.createRunExecutionData({
      executionData: {
        contextData: {},
        metadata: {},
        waitingExecution: {},
        waitingExecutionSource: {},
        nodeExecutionStack: [
          {
            node: workflow.getNode("Node")!,
            data: { main: [(options.input ?? [{}]).map((json) => ({ json }))] },
            source: null,
          },
        ],
      },
      resultData: { runData: {} },
    });
    const execution = new core.WorkflowExecute(this.#additional(data), "manual", started);
    const running = execution.processRunExecutionData(workflow);
    options.onStarted?.(() => running.cancel());
    const { status, data: ended } = await running;
    const task = ended.resultData.runData.Node?.[0];
    return {
      status,
      outputs: (task?.data?.main ?? []).map((items) => items ?? []),
      error: (task?.error ?? ended.resultData.error) as NodeApiError | undefined,
      hints: (task?.hints ?? []).map(({ message }) => message),
    };
  }

  /** One poll of the trigger. `memory` is the workflow's static data, `reported` what becomes a failed execution. */
  async poll(parameters: INodeParameters, memory: IDataObject, options: PollOptions = {}) {
    const { mode = "trigger", budgetMs } = options;
    const reported: Error[] = [];
    const { data, workflow } = this.#workflow(this.#node("surveyExportTrigger", parameters));
    const context = new core.PollContext(
      workflow,
      workflow.getNode("Node")!,
      this.#additional(data),
      mode,
      mode === "manual" ? "manual" : "activate",
      undefined,
      (error) => reported.push(error),
      undefined,
      undefined,
      () => memory,
      ...(budgetMs === undefined ? [] : [() => budgetMs]),
    );
    const { poll } = this.node("surveyExportTrigger");
    const polled = await poll!.call(context as unknown as Workflow.IPollFunctions);
    return { items: polled?.[0] ?? null, reported };
  }

  /** The surveys to choose from: those that have `filter` in their name or ID, from the place that `token` names. */
  async surveys(filter?: string, token?: string): Promise<Workflow.INodeListSearchResult> {
    const context = this.#editor("surveyExport", {}, "parameters.surveyId");
    return await this.node("surveyExport").methods!.listSearch!.searchSurveys!.call(context, filter, token);
  }

  /** All surveys, as the trigger offers them. */
  async allSurveys(): Promise<INodePropertyOptions[]> {
    const context = this.#editor("surveyExportTrigger", {}, "parameters.surveys");
    return await this.node("surveyExportTrigger").methods!.loadOptions!.getSurveys!.call(context);
  }

  /** As the editor loads what a parameter offers. */
  #editor(
    name: "surveyExport" | "surveyExportTrigger",
    parameters: INodeParameters,
    path: string,
  ): Workflow.ILoadOptionsFunctions {
    const node = this.#node(name, parameters);
    const { data, workflow } = this.#workflow(node);
    const additional = { ...this.#additional(data), currentNodeParameters: parameters };
    const context = new core.LoadOptionsContext(workflow, node, additional, path);
    return context as unknown as Workflow.ILoadOptionsFunctions;
  }

  async testCredential(account: Account): Promise<INodeCredentialTestResult> {
    const test = this.node("surveyExport").methods!.credentialTest!.testCredential!;
    const context = new core.CredentialTestContext(
      this.#additional(this.#workflow(this.#node("surveyExport", {})).data),
    );
    return await test.call(context, {
      id: "credential",
      name: "Account",
      type: "surveyExportApi",
      data: { ...account },
    });
  }

  #node(
    name: "surveyExport" | "surveyExportTrigger",
    parameters: INodeParameters,
    { onError, tool }: Pick<RunOptions, "onError" | "tool"> = {},
  ): INode {
    const { description } = this.node(name);
    return {
      id: this.nodeId,
      name: "Node",
      type: `n8n-nodes-survey-export.${name}${tool ? "Tool" : ""}`,
      typeVersion: description.version as number,
      position: [200, 0],
      parameters,
      credentials: { surveyExportApi: { id: "credential", name: "Account" } },
      ...(onError === undefined ? {} : { onError }),
    };
  }

  #workflow(node: INode, timezone = "UTC"): { data: IWorkflowBase; workflow: Workflow.Workflow } {
    const data = {
      id: "workflow",
      name: "Workflow",
      active: false,
      nodes: [node],
      connections: {},
      settings: { executionOrder: "v1", timezone },
    } as unknown as IWorkflowBase;
    const find = (type: string) => this.#package.nodes[type.replace(/Tool$/, "")]!;
    const nodeTypes = {
      getByName: find,
      getByNameAndVersion: (type: string, version?: number) =>
        n8n.NodeHelpers.getVersionedNodeType(find(type), version),
      getKnownTypes: () => ({}),
    };
    return { data, workflow: new n8n.Workflow({ ...data, nodeTypes }) };
  }

  #additional(data: IWorkflowBase): Workflow.IWorkflowExecuteAdditionalData {
    // n8n puts addresses of its own together even if no node uses them.
    const here = "http://127.0.0.1/";
    return {
      credentialsHelper: this.#credentials(),
      hooks: new core.ExecutionLifecycleHooks("manual", "1", data),
      executionId: "1",
      currentNodeExecutionIndex: 0,
      variables: {},
      instanceBaseUrl: here,
      restApiUrl: here,
      formWaitingBaseUrl: here,
      webhookBaseUrl: here,
      webhookWaitingBaseUrl: here,
      setExecutionStatus() {},
    } as unknown as Workflow.IWorkflowExecuteAdditionalData;
  }

  /** A store with one account, whose requests are signed by the rule that the credential's class states. */
  #credentials() {
    const { properties, authenticate } = this.#package.credential;
    const account = () => ({ ...this.#account() }) as INodeParameters;
    const called = (step: "read" | "sign") => this.onCredential(step);
    return {
      getParentTypes: () => [],
      isCredentialUsableByNode: () => true,
      getCredentialsProperties: () => properties,
      preAuthentication: async () => undefined,
      runPreAuthentication: async () => undefined,
      getCredentials: async () => ({ id: "credential", name: "Account", type: "surveyExportApi", data: "" }),
      /** With its expressions resolved for the item, as n8n does it. */
      async getDecrypted(...[, , , mode, executeData, , at]: Parameters<Helper["getDecrypted"]>) {
        called("read");
        if (at === undefined) return account();
        const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = at;
        return workflow.expression.getParameterValue(
          account(),
          runExecutionData,
          runIndex,
          itemIndex,
          node.name,
          connectionInputData,
          mode,
          {},
          executeData,
        );
      },
      async authenticate(...[data, , request]: Parameters<Helper["authenticate"]>) {
        called("sign");
        if (typeof authenticate !== "function") throw new Error("The credential signs with an expression");
        return await authenticate(data, request as Workflow.IHttpRequestOptions);
      },
    };
  }
}

type Helper = Workflow.ICredentialsHelper;
