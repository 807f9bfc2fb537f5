import { defineConfig } from "vitest/config";

/** The fast tests: all of `npm test`. Slower suites have configurations of their own. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/n8n/real/**", "**/node_modules/**"],
    globalSetup: ["test/build.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
