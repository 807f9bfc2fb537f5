import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests of functions: they start no program and no n8n. A test that is not named here is a test of programs. */
const functions = [
  "test/*.test.ts",
  "test/{core,spec,sync,n8n/pure}/**/*.test.ts",
  "test/airbyte/{configuration,form,listing}.test.ts",
  "test/release/{version-fields,workflows}.test.ts",
];

/** The fast tests: all of `npm test`. Slower suites have configurations of their own. */
export default defineConfig({
  test: {
    // Tests of programs mostly wait, so one worker more than there are cores keeps all cores busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          // These tests leave nothing behind, so the files share threads: no start of a process for each file.
          name: "functions",
          include: functions,
          pool: "threads",
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "programs",
          include: ["test/**/*.test.ts"],
          exclude: [...functions, "test/bench/**", "test/n8n/real/**", "**/node_modules/**"],
          globalSetup: ["test/build.ts"],
        },
      },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
