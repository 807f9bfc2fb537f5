import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "vitest";

const cwd = join(import.meta.dirname, "../../n8n-node");

/** The compiler is the package's own, since n8n's lint needs an older one; its lint and scan are `npm run check -w n8n-node`. */
test("the n8n package has the right types", async () => {
  try {
    await promisify(execFile)("npx", ["--no-install", "tsc"], { cwd });
  } catch (thrown) {
    throw new Error((thrown as { stdout: string }).stdout);
  }
});
