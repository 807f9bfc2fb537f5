import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, inject } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../../sandbox/index.ts";
import { freePort } from "../../../support/server.ts";
import { cacheFolder, run } from "./prepare.ts";
import { RestClient } from "./rest-client.ts";

/** Parts of n8n that nodes have no use for; some of them would call home when n8n starts. */
const UNNEEDED_MODULES =
  "insights,mcp,mcp-registry,agents,agent-evals,instance-ai,chat-hub,quick-connect,workflow-builder,oauth-server," +
  "breaking-changes,instance-version-history,favorites,otel,n8n-packages";

/** Nodes that most legs use. All others stay unloaded, which makes the editor quick. */
const NODES = [
  ...["manualTrigger", "noOp", "scheduleTrigger"],
  ...["surveyExport", "surveyExportTrigger"].map((name) => `n8n-nodes-survey-export.${name}`),
];

export interface N8nOptions {
  /** More nodes: of n8n's base package by their short names, others by their types. */
  readonly builtInNodes?: readonly string[];
  /** More settings of n8n. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** A throw-away n8n with a fresh database and our tarball among its community packages. */
export class N8nInstance {
  readonly folder: string;
  readonly url: string;
  readonly #environment: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;
  readonly #workers: ChildProcess[] = [];

  private constructor(folder: string, port: number, environment: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = {
      PATH: process.env.PATH,
      HOME: folder,
      TZ: "UTC",
      NODE_ENV: "production",
      N8N_USER_FOLDER: folder,
      N8N_LISTEN_ADDRESS: "127.0.0.1",
      N8N_HOST: "127.0.0.1",
      N8N_PORT: String(port),
      N8N_SECURE_COOKIE: "false",
      N8N_ENCRYPTION_KEY: "of-a-throw-away-instance",
      N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: "false",
      N8N_DIAGNOSTICS_ENABLED: "false",
      N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
      N8N_TEMPLATES_ENABLED: "false",
      N8N_PERSONALIZATION_ENABLED: "false",
      N8N_DYNAMIC_BANNERS_ENABLED: "false",
      N8N_VERIFIED_PACKAGES_ENABLED: "false",
      N8N_DISABLED_MODULES: UNNEEDED_MODULES,
      EXTERNAL_FRONTEND_HOOKS_URLS: "",
      GENERIC_TIMEZONE: "UTC",
      ...environment,
    };
  }

  static async create(name: string, options: N8nOptions = {}): Promise<N8nInstance> {
    const { builtInNodes = [], environment } = options;
    const folder = cacheFolder("run", name);
    const packages = join(folder, ".n8n/nodes");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(packages, { recursive: true });
    writeFileSync(join(packages, "package.json"), JSON.stringify({ name: "installed-nodes", private: true }));
    // As n8n installs community packages: no scripts, and n8n-workflow is n8n's own.
    const install = ["install", inject("tarball"), "--legacy-peer-deps", "--omit=dev", "--ignore-scripts"];
    await run("npm", install, packages);
    const types = [...NODES, ...builtInNodes].map((one) =>
      one.includes(".") ? one : `n8n-nodes-base.${one}`,
    );
    return new N8nInstance(folder, await freePort(), {
      N8N_RUNNERS_BROKER_PORT: String(await freePort()),
      NODES_INCLUDE: JSON.stringify(types),
      ...environment,
    });
  }

  /** Starts the server and waits until it is ready. Its log is `n8n.log` in the instance's folder. */
  async start(extra: NodeJS.ProcessEnv = {}): Promise<void> {
    this.#server = this.#spawn(["start"], "n8n.log", extra);
    const isReady = () =>
      fetch(`${this.url}/healthz/readiness`).then(
        ({ ok }) => ok,
        () => false,
      );
    await this.#untilReady(this.#server, isReady);
  }

  /** Starts a worker of queue mode and waits until it takes work. Its log is `worker-1.log`, `worker-2.log`, … */
  async startWorker(): Promise<void> {
    const log = `worker-${this.#workers.length + 1}.log`;
    const broker = { N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
    const worker = this.#spawn(["worker", "--concurrency=10"], log, broker);
    this.#workers.push(worker);
    await this.#untilReady(worker, async () => this.log(log).includes("worker is now ready"));
  }

  log(file = "n8n.log"): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  #spawn(args: readonly string[], log: string, extra: NodeJS.ProcessEnv): ChildProcess {
    const file = openSync(join(this.folder, log), "w");
    const child = spawn(process.execPath, [join(inject("n8n"), "n8n/bin/n8n"), ...args], {
      cwd: this.folder,
      env: { ...this.#environment, ...extra },
      stdio: ["ignore", file, file],
    });
    closeSync(file);
    return child;
  }

  async #untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 1_200 && child.exitCode === null; tries++) {
      if (await isReady()) return;
      await sleep(250);
    }
    throw new Error(`n8n ended or was not ready within five minutes; see the logs in ${this.folder}`);
  }

  /** Ends the server at once, as a crash does. */
  async kill(): Promise<void> {
    const server = this.#server!;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  /** Stops the workers and the server. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map(stopProcess));
    if (this.#server) await stopProcess(this.#server);
  }
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  if ((await Promise.race([ended, sleep(20_000, "late")])) === "late") {
    child.kill("SIGKILL");
    await ended;
  }
}

export interface Leg {
  readonly sandbox: Sandbox;
  readonly n8n: N8nInstance;
  readonly rest: RestClient;
  /** Of the sandbox. */
  readonly credential: { readonly id: string; readonly name: string };
  stop(): Promise<void>;
}

interface LegOptions extends N8nOptions {
  /** Default: with the example surveys. */
  readonly sandbox?: SandboxOptions;
}

/** A leg for the tests of a file, which is stopped after them. */
export async function testLeg(name: string, options?: LegOptions): Promise<Leg> {
  const leg = await startLeg(name, options);
  afterAll(leg.stop);
  return leg;
}

/** A sandbox, and a real n8n with its owner signed in. `stop` stops both. */
export async function startLeg(name: string, { sandbox: served, ...options }: LegOptions = {}): Promise<Leg> {
  const sandbox = await startSandbox(served);
  const n8n = await N8nInstance.create(name, options);
  const stop = async (): Promise<void> => {
    await n8n.stop();
    await sandbox.close();
  };
  try {
    await n8n.start();
    const rest = await RestClient.setUp(n8n.url);
    const credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    return { sandbox, n8n, rest, credential, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
