import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests of functions: they start no program and no n8n. A test that is not named here is a test of programs. */
const functions = [
  "test/{connector/core,model}/**/*.test.ts",
  "test/n8n-node/**/{column-names,failure,flat-item,form,newest-first,new-responses}.test.ts",
  "test/repository/{airbyte-registry,architecture,documents,workflows}.test.ts",
  "test/connector/airbyte/{catalog,configuration,state}.test.ts",
  "test/tools/generate.test.ts",
];

/**
 * These put something of their own in the place of a module (nock: of Node's HTTP), or depend on the time a poll takes
 * and on the limiter of its address, so they share modules with no other.
 */
const replacing = [
  "test/repository/core-without-key.test.ts",
  "test/n8n-node/nodes/SurveyExport/trigger/poll.test.ts",
];

/** The fast tests: all of `npm test`. Slower suites have configurations of their own. */
export default defineConfig({
  test: {
    // n8n's engine requires this copy. Of the other, Vite would transform each file, and miss the source of each.
    alias: { "n8n-workflow": `${import.meta.dirname}/node_modules/n8n-workflow/dist/cjs/index.js` },
    // Tests of programs wait for half of their time, so twice as many workers as there are cores keep all cores busy.
    maxWorkers: 2 * availableParallelism(),
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
          include: ["{manifest,test}/**/*.test.ts"],
          exclude: [
            ...functions,
            ...replacing,
            "test/bench/**",
            "test/end-to-end/n8n/**",
            "**/node_modules/**",
          ],
          globalSetup: ["test/support/build.ts"],
          // Loading the sandbox, n8n and the protocol anew for each file would take a third of the time.
          isolate: false,
          // They start the program hundreds of times: Node keeps what it compiled.
          env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node-compile-cache` },
        },
      },
      // Projects begin in the order of their names: the longest file waits for its polls while others run.
      { extends: true, test: { name: "alone", include: replacing } },
    ],
    // Ten times what the longest one takes alone, so that none fails because the machine is busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
