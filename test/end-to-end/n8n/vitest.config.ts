import { defineConfig } from "vitest/config";

/** Minutes long, or in need of more than n8n: only when they are named. */
const ONLY_BY_NAME = ["queue", "mcp", "crash"];
const named = (leg: string) => process.argv.some((argument) => argument.includes(leg));

/** The slow suite: a real n8n with the packed tarball. `npm run test:n8n -- trigger` runs one leg. */
export default defineConfig({
  test: {
    include: ["test/end-to-end/n8n/*.slow.ts"],
    exclude: ONLY_BY_NAME.filter((leg) => !named(leg)).map((leg) => `test/end-to-end/n8n/${leg}.slow.ts`),
    globalSetup: ["test/end-to-end/n8n/support/prepare.ts"],
    fileParallelism: false,
    testTimeout: 420_000,
    hookTimeout: 420_000,
  },
});
