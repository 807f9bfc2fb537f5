import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { cacheFolder, type InstalledN8n, installN8n } from "./install-n8n.ts";
import { environmentForNpm, mustSucceed } from "./run.ts";

declare module "vitest" {
  interface ProvidedContext {
    n8n: InstalledN8n;
    /** The package as it would be published. */
    tarball: string;
  }
}

/** Once before the legs: n8n in the cache folder, and our package built and packed. */
export default async function prepare(project: TestProject): Promise<void> {
  project.provide("n8n", await installN8n((line) => console.log(line)));
  project.provide("tarball", await packPackage());
}

async function packPackage(): Promise<string> {
  const folder = cacheFolder("packed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const cwd = join(import.meta.dirname, "../../../../n8n-node");
  const environment = { ...environmentForNpm(), PATH: process.env.PATH };
  await mustSucceed("npm", ["run", "build"], { cwd, environment });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await mustSucceed("npm", args, { cwd, environment });
  return join(folder, JSON.parse(stdout)[0].filename);
}
