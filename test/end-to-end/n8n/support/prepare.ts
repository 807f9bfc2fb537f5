import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The real n8n's node_modules. */
    n8n: string;
    /** The package as it would be published. */
    tarball: string;
  }
}

/** Once before the legs: n8n in the cache folder, and our package built and packed. */
export default async function prepare(project: TestProject): Promise<void> {
  project.provide("n8n", await installN8n());
  project.provide("tarball", await packPackage());
}

/**
 * Where things live that are too large for the repository: the real n8n (2 GB) and its throw-away user
 * folders. Outside the checkout, so that a `git clean` costs no four minutes, and shared by all checkouts.
 */
export function cacheFolder(...parts: readonly string[]): string {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(caches, "survey-export", ...parts);
}

/** The newest n8n of the 2.x line whose packages npm offers completely. */
const N8N_VERSION = "2.41.1";

/**
 * The AI nodes are half of n8n and have no part in this test. Queue mode asks their package for one class
 * when n8n starts; this stand-in has it.
 */
const AI_NODES_STAND_IN = {
  "package.json": JSON.stringify({
    name: "@n8n/n8n-nodes-langchain",
    version: N8N_VERSION,
    main: "index.js",
    n8n: { nodes: [], credentials: [] },
  }),
  "index.js": "",
  "mcp/core/index.js": "exports.McpServer = class { static instance() { return new this(); } };\n",
  "dist/known.json": "{}",
  "dist/types/nodes.json": "[]",
  "dist/types/credentials.json": "[]",
};

/** Versions that fit n8n 2.41.1 if the newest in range ask for packages that npm does not offer. */
const OVERRIDES = {
  linkedom: "0.18.13",
  "@langchain/core": "1.2.8",
  "@langchain/langgraph": "1.0.2",
  "@langchain/langgraph-checkpoint": "1.0.0",
  "@n8n/n8n-nodes-langchain": "file:./ai-nodes",
};

/**
 * A real n8n in the cache folder, installed once (4 minutes and 2 GB; nothing when it is there already).
 * No install script runs, hence no download but npm's own and no call home; sqlite3 alone is compiled
 * then (one minute, needs python3, make and g++), against Node's own header files from npm.
 */
async function installN8n(): Promise<string> {
  const folder = cacheFolder(`n8n-${N8N_VERSION}`);
  const modules = join(folder, "node_modules");
  const node = `node-${process.platform}-${process.arch}`;
  const dependencies = { n8n: N8N_VERSION, [node]: process.versions.node };
  const recipe = JSON.stringify({ private: true, overrides: OVERRIDES, dependencies });
  const done = join(folder, "installed.json");
  if (existsSync(done) && readFileSync(done, "utf8") === recipe) return modules;

  console.log(`Installing n8n ${N8N_VERSION} into ${folder}, once; this takes about four minutes.`);
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(AI_NODES_STAND_IN)) {
    const file = join(folder, "ai-nodes", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(join(folder, "package.json"), recipe);
  await run("npm", ["install", "--ignore-scripts", "--loglevel=error"], folder);
  const headers = { npm_config_nodedir: join(modules, node) };
  await run("npm", ["rebuild", "sqlite3", "--build-from-source"], folder, headers);
  writeFileSync(done, recipe);
  return modules;
}

async function packPackage(): Promise<string> {
  const folder = cacheFolder("packed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sources = join(import.meta.dirname, "../../../../n8n-node");
  await run("npm", ["run", "build"], sources);
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  return join(folder, JSON.parse(await run("npm", pack, sources))[0].filename);
}

/** What npm needs to know of where packages come from. */
const OF_THE_REGISTRY = /^npm_config_(registry|cache|userconfig|cafile)$/i;

/**
 * Runs a program and gives what it printed; throws with the end of it if the program fails. The environment is ours
 * without what `npm run` adds to it, so that an npm in another folder does not take this workspace for its own.
 */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || OF_THE_REGISTRY.test(name),
  );
  const env = { ...Object.fromEntries(kept), npm_config_audit: "false", npm_config_fund: "false", ...more };
  try {
    return (await promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 1e9 })).stdout;
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} (in ${cwd}) failed:\n${(stdout + stderr).slice(-4_000)}`);
  }
}
