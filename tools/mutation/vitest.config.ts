import { join } from "node:path";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "../..");

/** The tests that decide about a mutant, with the same cases each time. */
export default defineConfig({
  root,
  // Stryker mutates a copy of the sources, whose packages are those of the repository.
  resolve: { alias: { "@survey-export/core": join(root, "connector/core/index.ts") } },
  test: {
    include: ["test/connector/core/{coverage,lists,sync}/**/*.test.ts", "test/model/*.test.ts"],
    setupFiles: ["tools/mutation/fixed-seed.ts"],
    env: { RUNS: "60", SYNC_CASES: "20", SYNC_SEED: "1" },
    isolate: false,
    testTimeout: 60_000,
  },
});
