import { defineConfig } from "vitest/config";

/** A measurement more than a test, and minutes long: only when it is named. */
const large = process.argv.some((argument) => argument.includes("large"));

/** The slow suite: a real n8n with the packed tarball. `npm run test:n8n -- command-line` runs one leg. */
export default defineConfig({
  test: {
    include: ["test/n8n/real/*.leg.ts"],
    exclude: large ? [] : ["test/n8n/real/large.leg.ts"],
    globalSetup: ["test/n8n/real/prepare.ts"],
    fileParallelism: false,
    testTimeout: 420_000,
    hookTimeout: 180_000,
  },
});
