import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  createWriteStream,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../support/server.ts";
import { cacheFolder, type InstalledN8n } from "./install-n8n.ts";
import { environmentForNpm, type Finished, mustSucceed, run } from "./run.ts";

/** Parts of n8n that nodes have no use for; some of them would call home when n8n starts. */
const UNNEEDED_MODULES =
  "insights,mcp,mcp-registry,agents,agent-evals,instance-ai,chat-hub,quick-connect,workflow-builder,oauth-server," +
  "breaking-changes,instance-version-history,favorites,otel,n8n-packages";

/** Built-in nodes that most legs use. All others stay unloaded, which makes the editor quick. */
const BUILT_IN_NODES = ["manualTrigger", "noOp", "scheduleTrigger"];
const OUR_NODES = ["surveyExport", "surveyExportTrigger"].map((name) => `n8n-nodes-survey-export.${name}`);

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
  readonly #entry: string;
  readonly #environment: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;
  readonly #workers: ChildProcess[] = [];

  private constructor(
    folder: string,
    port: number,
    brokerPort: number,
    entry: string,
    { builtInNodes = [], environment = {} }: N8nOptions,
  ) {
    this.folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    this.#entry = entry;
    this.#environment = {
      PATH: process.env.PATH,
      HOME: folder,
      TZ: "UTC",
      NODE_ENV: "production",
      N8N_USER_FOLDER: folder,
      N8N_LISTEN_ADDRESS: "127.0.0.1",
      N8N_HOST: "127.0.0.1",
      N8N_PORT: String(port),
      N8N_RUNNERS_BROKER_PORT: String(brokerPort),
      N8N_PROTOCOL: "http",
      N8N_SECURE_COOKIE: "false",
      N8N_ENCRYPTION_KEY: "of-a-throw-away-instance",
      N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: "false",
      N8N_DIAGNOSTICS_ENABLED: "false",
      N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
      N8N_TEMPLATES_ENABLED: "false",
      N8N_PERSONALIZATION_ENABLED: "false",
      N8N_HIRING_BANNER_ENABLED: "false",
      N8N_DYNAMIC_BANNERS_ENABLED: "false",
      N8N_VERIFIED_PACKAGES_ENABLED: "false",
      N8N_DISABLED_MODULES: UNNEEDED_MODULES,
      EXTERNAL_FRONTEND_HOOKS_URLS: "",
      GENERIC_TIMEZONE: "UTC",
      DB_TYPE: "sqlite",
      NODES_INCLUDE: JSON.stringify([
        ...[...BUILT_IN_NODES, ...builtInNodes].map((name) =>
          name.includes(".") ? name : `n8n-nodes-base.${name}`,
        ),
        ...OUR_NODES,
      ]),
      ...environment,
    };
  }

  static async create(
    name: string,
    n8n: InstalledN8n,
    tarball: string,
    options: N8nOptions = {},
  ): Promise<N8nInstance> {
    const folder = cacheFolder("run", name);
    const nodes = join(folder, ".n8n/nodes");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(nodes, { recursive: true });
    writeFileSync(join(nodes, "package.json"), JSON.stringify({ name: "installed-nodes", private: true }));
    // As n8n installs community packages: no scripts, and n8n-workflow is n8n's own.
    const install = ["install", tarball, "--legacy-peer-deps", "--omit=dev", "--ignore-scripts"];
    await mustSucceed("npm", install, { cwd: nodes, environment: environmentForNpm() });
    return new N8nInstance(folder, await freePort(), await freePort(), n8n.entry, options);
  }

  /** Runs n8n's command line on this instance's database. */
  async commandLine(args: readonly string[], extra: NodeJS.ProcessEnv = {}): Promise<Finished> {
    return await run(process.execPath, [this.#entry, ...args], {
      cwd: this.folder,
      environment: { ...this.#environment, ...extra },
      timeoutMs: 300_000,
      stdoutFile: join(this.folder, "output.txt"),
    });
  }

  /** Imports credentials or workflows by n8n's command line. */
  async import(what: "credentials" | "workflow", content: unknown): Promise<void> {
    const file = join(this.folder, `${what}.json`);
    writeFileSync(file, JSON.stringify(content));
    const { exitCode, stderr } = await this.commandLine([`import:${what}`, `--input=${file}`]);
    if (exitCode !== 0) throw new Error(`n8n import:${what} ended with ${exitCode}: ${stderr}`);
  }

  /** Starts the server and waits until it is ready. Its log is `n8n.log` in the instance's folder. */
  async start(extra: NodeJS.ProcessEnv = {}): Promise<void> {
    const log = createWriteStream(join(this.folder, "n8n.log"));
    const server = spawn(process.execPath, [this.#entry, "start"], {
      cwd: this.folder,
      env: { ...this.#environment, ...extra },
      stdio: ["ignore", "pipe", "pipe"],
    });
    server.stdout.pipe(log);
    server.stderr.pipe(log);
    this.#server = server;
    for (let tries = 0; tries < 1_200; tries++) {
      if (server.exitCode !== null)
        throw new Error(`n8n ended with ${server.exitCode}; see ${this.folder}/n8n.log`);
      const ready = await fetch(`${this.url}/healthz/readiness`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return;
      await sleep(250);
    }
    throw new Error(`n8n was not ready within five minutes; see ${this.folder}/n8n.log`);
  }

  /** Starts a worker of queue mode and waits until it takes work. Its log is `worker-1.log`, `worker-2.log`, … */
  async startWorker(): Promise<void> {
    const file = join(this.folder, `worker-${this.#workers.length + 1}.log`);
    const log = openSync(file, "w");
    const worker = spawn(process.execPath, [this.#entry, "worker", "--concurrency=10"], {
      cwd: this.folder,
      env: { ...this.#environment, N8N_RUNNERS_BROKER_PORT: String(await freePort()) },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.#workers.push(worker);
    for (let tries = 0; tries < 720; tries++) {
      if (worker.exitCode !== null) break;
      if (readFileSync(file, "utf8").includes("worker is now ready")) return;
      await sleep(250);
    }
    throw new Error(`The worker is not ready; see ${file}`);
  }

  get processId(): number | undefined {
    return this.#server?.pid;
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
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  if ((await Promise.race([ended, sleep(20_000, "late")])) === "late") {
    child.kill("SIGKILL");
    await ended;
  }
}
