import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { environmentForNpm, mustSucceed } from "./run.ts";

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

export interface InstalledN8n {
  /** The file that `node` runs as n8n's command line. */
  readonly entry: string;
  /** Its node_modules, for tests that use a part of n8n by itself. */
  readonly modules: string;
}

/**
 * A real n8n in the cache folder, installed once (4 minutes and 2 GB; nothing when it is there already).
 * No install script runs, hence no download but npm's own and no call home; sqlite3 alone is compiled
 * then (one minute, needs python3, make and g++), against Node's own header files from npm.
 */
export async function installN8n(say: (line: string) => void = () => {}): Promise<InstalledN8n> {
  const folder = cacheFolder(`n8n-${N8N_VERSION}`);
  const modules = join(folder, "node_modules");
  const installed = { entry: join(modules, "n8n/bin/n8n"), modules };
  const recipe = JSON.stringify({
    private: true,
    overrides: OVERRIDES,
    dependencies: { n8n: N8N_VERSION, [`node-${process.platform}-${process.arch}`]: process.versions.node },
  });
  const done = join(folder, "installed.json");
  if (existsSync(done) && readFileSync(done, "utf8") === recipe) return installed;

  say(`Installing n8n ${N8N_VERSION} into ${folder}, once; this takes about four minutes.`);
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(AI_NODES_STAND_IN)) {
    const file = join(folder, "ai-nodes", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(join(folder, "package.json"), recipe);
  const environment = environmentForNpm();
  await mustSucceed("npm", ["install", "--ignore-scripts", "--loglevel=error"], { cwd: folder, environment });
  say("Compiling sqlite3 for it.");
  const headers = join(modules, `node-${process.platform}-${process.arch}`);
  await mustSucceed("npm", ["rebuild", "sqlite3", "--build-from-source", "--foreground-scripts"], {
    cwd: folder,
    environment: { ...environment, npm_config_nodedir: headers },
  });
  writeFileSync(done, recipe);
  return installed;
}

/**
 * Puts n8n's real AI nodes in the place of their stand-in, without the packages that only other AI nodes need:
 * the MCP Server Trigger finds its own in n8n, except one. Nothing when they are there already.
 */
export async function addAiNodes({ modules }: InstalledN8n): Promise<void> {
  const folder = join(modules, "../ai-nodes");
  const parser = "@n8n/json-schema-to-zod";
  if (existsSync(join(folder, "node_modules", parser, "package.json"))) return;
  await unpack(`@n8n/n8n-nodes-langchain@${N8N_VERSION}`, folder);
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  await unpack(`${parser}@${dependencies[parser]}`, join(folder, "node_modules", parser));
}

/** Puts a package's files into a folder, without the packages that it needs. */
async function unpack(name: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, environment: { ...environmentForNpm(), PATH: process.env.PATH } };
  const { stdout } = await mustSucceed("npm", ["pack", "--json", name], options);
  const { filename } = JSON.parse(stdout)[0];
  await mustSucceed("tar", ["-xzf", filename, "--strip-components=1"], options);
  rmSync(join(folder, filename));
}

if (import.meta.main) await installN8n((line) => console.log(line));
