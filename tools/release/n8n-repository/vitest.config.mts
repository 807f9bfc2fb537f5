import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.mts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests of the engine wait for half of their time.
    maxWorkers: 2 * availableParallelism(),
  },
});
