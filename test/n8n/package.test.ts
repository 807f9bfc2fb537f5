import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const cwd = join(import.meta.dirname, "../../n8n-node");

/** n8n's lint rules look at NODE_ENV, and judge otherwise when it says that they are tested themselves. */
const { NODE_ENV: _, ...env } = process.env;

/** Runs one of the package's own scripts; what it printed, or its whole output in the message when it failed. */
async function script(name: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["run", "--silent", name], { cwd, env });
    return stdout;
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout: string; stderr: string };
    throw new Error(`npm run ${name} failed:\n${stdout}\n${stderr}`);
  }
}

test("the n8n package builds, and passes n8n's lint and both halves of its scan", async () => {
  await script("build");
  await script("lint");
  expect(await script("scan")).toBe("sources: passed\ntarball: passed\n");
});
