/** A deliberate break: a small change of the code that some named test must notice. */
export interface Break {
  readonly name: string;
  /** What goes wrong for a user, were it to happen by mistake. */
  readonly harm: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly search: string;
  readonly replace: string;
  /** The file of the test, and a part of its name. */
  readonly test: readonly [file: string, name: string];
}

const SYNC = ["test/sync/nothing-lost.test.ts", "everything is delivered"] as const;

export const BREAKS: readonly Break[] = [
  {
    name: "edge-as-proof",
    harm: "responses of the very moment at which a sync stopped are lost",
    file: "connector/core/coverage/coverage.ts",
    search: "gaps.push({ older: reached, newer: wanted.newer });",
    replace:
      "gaps.push({ older: reached === wanted.older || reached === null ? reached : addMicroseconds(reached, 1), newer: wanted.newer });",
    test: ["test/core/reading/coverage.test.ts", "leaves as gaps all that is wanted"],
  },
  {
    name: "page-claims-its-last-moment",
    harm: "responses that share the last moment of a page are lost when the sync is killed there",
    file: "connector/core/lists/coverage-tracker.ts",
    search: "    pageEnd() {\n      if (whole !== undefined) earn(whole);",
    replace: "    pageEnd() {\n      if (last !== undefined) earn(addMicroseconds(last, -1));",
    test: ["test/core/reading/walk.test.ts", "delivers all of its stretch once"],
  },
  {
    name: "bound-fixed-too-late",
    harm: "people are read before it is known how far up this sync goes, and what they answer in between is lost",
    file: "connector/core/reading/read.ts",
    search: "surveys.boundsOpen ? undefined : respondents.next()",
    replace: "respondents.next()",
    test: [
      "test/sync/respondents.test.ts",
      "no respondent is asked for before every survey's newest page has come",
    ],
  },
  {
    name: "state-is-live",
    harm: "a state that waits to be written covers records that have not been written",
    file: "connector/core/reading/delivery.ts",
    search: "surveys: entriesOf(surveys),",
    replace: "get surveys() { return entriesOf(surveys); },",
    test: SYNC,
  },
  {
    name: "responders-not-waited-for",
    harm: "a killed sync never reads the people of the stretches it had covered",
    file: "connector/core/reading/respondent-queue.ts",
    search: "return claim.unread === 0;",
    replace: "return true;",
    test: SYNC,
  },
  {
    name: "edge-responders-forgotten",
    harm: "two claims that meet at a moment cover it though someone who answered then has not been read",
    file: "connector/core/reading/discovery.ts",
    search: "moment > span[0]) tail.delete",
    replace: "moment >= span[0]) tail.delete",
    test: [
      "test/core/reading/discovery.test.ts",
      "a responder at the edge of two claims is waited for by both",
    ],
  },
  {
    name: "flaw-forgotten",
    harm: "a respondent of whom something could not be read counts as done for good",
    file: "connector/core/reading/read.ts",
    search: "errand.flawed = true;",
    replace: "",
    test: SYNC,
  },
  {
    name: "no-lookback",
    harm: "responses that show up late are lost",
    file: "connector/core/coverage/coverage.ts",
    search: "newest === undefined || lookbackMs === 0",
    replace: "newest !== undefined || lookbackMs === 0",
    test: ["test/sync/faults.test.ts", "a response that appears late"],
  },
  {
    name: "coverage-above-the-newest",
    harm: "an end date in the future covers what has not been given yet",
    file: "connector/core/reading/delivery.ts",
    search: "const newer = earlier(span[1], limit);",
    replace: "const newer = span[1];",
    test: SYNC,
  },
  {
    name: "earlier-start-date-ignored",
    harm: "after the start date was moved back, people's older responses never come",
    file: "connector/core/reading/delivery.ts",
    search: "const isVoid =\n    options.dependsOnStartDate &&",
    replace: "const isVoid =\n    false &&",
    test: SYNC,
  },
  {
    name: "unreadable-item-covered",
    harm: "an item that could not be read is never asked for again",
    file: "connector/core/lists/coverage-tracker.ts",
    search: "    unreadable() {\n      if (whole !== undefined) earn(whole);\n      close();",
    replace: "    unreadable() {",
    test: ["test/core/reading/walk.test.ts", "leaves out an unreadable item"],
  },
  {
    name: "page-dropped-without-link",
    harm: "a broken page is taken for the end, and everything older is missing without a word",
    file: "connector/core/client/page.ts",
    search: 'if (typeof next !== "string" || next === "") {',
    replace:
      'if (typeof next !== "string" || next === "") {\n    if (next !== 1) return { items: envelope.data, hasMore: false, next: undefined };',
    test: ["test/core/api/page.test.ts", "is broken and asked for again, never taken for the end"],
  },
  {
    name: "link-to-another-host",
    harm: "the API key goes to whoever the service, or someone in its place, names",
    file: "connector/core/client/link.ts",
    search: "if (reason === undefined) return address;",
    replace:
      "if (reason !== reason + '.') return path.startsWith('/') && !path.startsWith('//') ? address : new URL(path, address).href;",
    test: ["test/core/api/link.test.ts", "//other.example/v2/x"],
  },
  {
    name: "key-in-a-log-line",
    harm: "the API key stays in the platform's logs",
    file: "connector/airbyte/output.ts",
    search: 'line.replace(pattern, "****")',
    replace: "line",
    test: ["test/security/key.test.ts", "when the service quotes it in a rejection"],
  },
  {
    name: "id-not-encoded",
    harm: "an id climbs out of its path",
    file: "connector/core/client/endpoints.ts",
    search: "return encodeURIComponent(id);",
    replace: "return id;",
    test: ["test/core/api/endpoints.test.ts", "stays one segment of the path"],
  },
  {
    name: "gives-up-on-429",
    harm: "a long sync fails when others use the workspace for a minute",
    file: "connector/core/client/service.ts",
    search: "rateLimitedMs: Number.POSITIVE_INFINITY,",
    replace: "rateLimitedMs: 30_000,",
    test: ["test/sync/faults.test.ts", "an hour of status_429"],
  },
  {
    name: "minute-counted-from-the-start",
    harm: "slow answers make the service count more than the limit, and it blocks the workspace",
    file: "connector/core/client/rate-limiter.ts",
    search: "finishedMs.push(clock.now());",
    replace: "finishedMs.push(clock.now() - 20_000);",
    test: ["test/core/api/governor.test.ts", "holds the minute for the service too"],
  },
];
