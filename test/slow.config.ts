import { defineConfig } from "vitest/config";

/** Suites that install, build or measure something. Each has a script of its own in package.json. */
export default defineConfig({
  test: {
    include: ["{manifest,test}/**/*.slow.ts", "test/bench/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
