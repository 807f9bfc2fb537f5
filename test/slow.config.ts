import { defineConfig } from "vitest/config";

/** Suites that install or build something first, each with a script of its own in package.json. */
export default defineConfig({
  test: {
    include: ["test/**/*.slow.ts"],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    fileParallelism: false,
  },
});
