import { defineConfig } from "vitest/config";

/** Suites that install, build or measure something. `.ci/run` names those that belong together. */
export default defineConfig({
  test: {
    include: ["{manifest,test}/**/*.slow.ts", "test/bench/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
