/**
 * `npm run mutation`: StrykerJS changes one expression of the core at a time, and some test must fail. What it prints is
 * the share of the mutants that the tests notice, by file and folder. `-- --mutate 'connector/core/sync/*.ts'` does a
 * part of it, `-- --incremental` only what has changed since the last time. The exit code is 1 below `thresholds.break`.
 *
 * Stryker comes by `npm exec`, because as a development dependency it would add 137 packages for a weekly suite.
 */
const results = ".survey-export/mutation";
/** Calls that are not mutated: an invariant holds in every run, and a sentence is asserted by the tests of programs. */
const IGNORED = ["invariant", "say"];

export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "invariants and sentences",
    value: {
      shouldIgnore: ({ node }) =>
        IGNORED.includes((node.callee ?? node.tag)?.name) ? "not asserted" : undefined,
    },
  },
];

export default {
  mutate: ["connector/core/{coverage,lists,sync}/**/*.ts"],
  testRunner: "vitest",
  vitest: { configFile: "tools/mutation/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner", import.meta.filename],
  ignorers: ["invariants and sentences"],
  ignorePatterns: ["/.survey-export", "/dist", "/n8n-node"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  // A busy machine must not look like a mutant that never ends.
  timeoutMS: 30_000,
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: `${results}/copies`,
  incrementalFile: `${results}/incremental.json`,
  reporters: ["clear-text", "html", "json"],
  clearTextReporter: { logTests: false, allowColor: false, allowEmojis: false, reportTests: false },
  htmlReporter: { fileName: `${results}/report.html` },
  jsonReporter: { fileName: `${results}/report.json` },
  tsconfigFile: "none",
};
