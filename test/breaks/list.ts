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
    harm: "responses of the very timestamp at which a sync stopped are lost",
    file: "connector/core/coverage/coverage.ts",
    search: "gaps.push({ older: reached, newer: wanted.newer });",
    replace:
      "gaps.push({ older: reached === wanted.older || reached === null ? reached : addMicroseconds(reached, 1), newer: wanted.newer });",
    test: ["test/core/coverage/coverage.test.ts", "leaves as gaps all that is wanted"],
  },
  {
    name: "page-covers-its-last-timestamp",
    harm: "responses that share the last timestamp of a page are lost when the sync is killed there",
    file: "connector/core/lists/coverage-tracker.ts",
    search: "  pageEnd(): void {\n    if (this.#seenWhole !== undefined) this.#earn(this.#seenWhole);",
    replace:
      "  pageEnd(): void {\n    if (this.#last !== undefined) this.#earn(addMicroseconds(this.#last, -1));",
    test: ["test/core/lists/list-walk.test.ts", "delivers all of its gap once"],
  },
  {
    name: "bound-fixed-too-late",
    harm: "respondents are read before it is known how far up this sync goes, and their answers in between are lost",
    file: "connector/core/sync/scheduler.ts",
    search: "if (this.#hasRespondents && this.#openBounds.size > 0) return undefined;",
    replace: "if (this.#hasRespondents && this.#openBounds.size > 1e9) return undefined;",
    test: [
      "test/core/sync/scheduler.test.ts",
      "first the newest page of every survey, and nothing else until all of them have come",
    ],
  },
  {
    name: "state-is-live",
    harm: "a state that waits to be written covers records that have not been written",
    file: "connector/core/coverage/coverage-map.ts",
    search: "    this.#isShared = true;\n    this.#own.clear();",
    replace: "",
    test: ["test/core/coverage/coverage-map.test.ts", "a snapshot never changes"],
  },
  {
    name: "respondents-not-waited-for",
    harm: "a killed sync never reads the respondents of the intervals it had covered",
    file: "connector/core/sync/respondent-queue.ts",
    search: "return pending.waitingFor === 0;",
    replace: "return true;",
    test: SYNC,
  },
  {
    name: "edge-respondents-forgotten",
    harm: "two intervals that meet at a timestamp cover it though a respondent of it has not been read",
    file: "connector/core/sync/respondent-stream-progress.ts",
    search: "timestamp > interval[0]) unassigned.delete",
    replace: "timestamp >= interval[0]) unassigned.delete",
    test: [
      "test/core/sync/respondent-stream-progress.test.ts",
      "a respondent at the edge of two intervals is waited for by both",
    ],
  },
  {
    name: "problem-forgotten",
    harm: "a respondent of whom something could not be read counts as delivered for good",
    file: "connector/core/sync/respondent-task.ts",
    search: "this.#hasProblem ||= problems.length > 0;",
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
    file: "connector/core/sync/stream-cursor.ts",
    search: "const newer = earlier(interval[1], limit);",
    replace: "const newer = interval[1];",
    test: SYNC,
  },
  {
    name: "earlier-start-date-ignored",
    harm: "after the start date was moved back, respondents' older responses never come",
    file: "connector/core/sync/stream-cursor.ts",
    search: "const isVoid =\n      dependsOnStartDate &&",
    replace: "const isVoid =\n      false &&",
    test: SYNC,
  },
  {
    name: "unreadable-item-covered",
    harm: "an item that could not be read is never asked for again",
    file: "connector/core/lists/coverage-tracker.ts",
    search:
      "  unreadable(): void {\n    if (this.#seenWhole !== undefined) this.#earn(this.#seenWhole);\n    this.#break();",
    replace: "  unreadable(): void {",
    test: ["test/core/lists/list-walk.test.ts", "leaves out an unreadable item"],
  },
  {
    name: "page-dropped-without-link",
    harm: "a broken page is taken for the end, and everything older is missing without a word",
    file: "connector/core/client/page.ts",
    search: 'if (typeof next !== "string" || next === "") {',
    replace:
      'if (typeof next !== "string" || next === "") {\n    if (next !== 1) return { items: envelope.data, hasMore: false, next: undefined };',
    test: ["test/core/client/page.test.ts", "is broken and asked for again, never taken for the end"],
  },
  {
    name: "link-to-another-host",
    harm: "the API key goes to whoever the service, or someone in its place, names",
    file: "connector/core/client/link.ts",
    search: "if (reason !== undefined) throw refusedLink(path, reason);\n  return address;",
    replace: "if (reason !== undefined) return new URL(path, address).href;\n  return address;",
    test: ["test/core/client/link.test.ts", "//other.example/v2/x"],
  },
  {
    name: "key-in-a-log-line",
    harm: "the API key stays in the platform's logs",
    file: "connector/airbyte/output.ts",
    search: "const redacted = redact(inner);",
    replace: "const redacted = inner;",
    test: ["test/security/key.test.ts", "when the service quotes it in a rejection"],
  },
  {
    name: "id-not-encoded",
    harm: "an id climbs out of its path",
    file: "connector/core/client/endpoints.ts",
    search: "return encodeURIComponent(id);",
    replace: "return id;",
    test: ["test/core/client/endpoints.test.ts", "stays one segment of the path"],
  },
  {
    name: "gives-up-on-429",
    harm: "a long sync fails when others use the workspace for a minute",
    file: "connector/core/client/retry-policy.ts",
    search: "    requestMs: UNLIMITED,\n    rateLimitedMs: UNLIMITED,",
    replace: "    requestMs: UNLIMITED,\n    rateLimitedMs: 30_000,",
    test: ["test/sync/faults.test.ts", "an hour of status_429"],
  },
  {
    name: "minute-counted-from-the-start",
    harm: "slow answers make the service count more than the limit, and it blocks the workspace",
    file: "connector/core/client/start-window.ts",
    search: "push(nowMs)",
    replace: "push(nowMs - 5000)",
    test: ["test/core/client/rate-limiter.test.ts", "never exceeds its limits, as the service counts them"],
  },
  {
    name: "covers-the-future",
    harm: "one response from the future hides everything that arrives before its date",
    file: "connector/core/lists/list-walk.ts",
    search: "if (timestamp <= page.present) this.#tracker.item(timestamp);",
    replace: "this.#tracker.item(timestamp);",
    test: ["test/core/lists/list-walk.test.ts", "delivers a response from the future"],
  },
  {
    name: "assumed-deleted-is-delivered",
    harm: "a spell of 404s on the respondents' lists loses them for good",
    file: "connector/core/sync/respondent-task.ts",
    search: "else this.#stream.notNoted(this.#respondent, error);\n    cursor.setNotFound(notFound.entries);",
    replace: "",
    test: SYNC,
  },
  {
    name: "empty-page-is-the-end",
    harm: "a temporary empty page drops the rest of a respondent's list",
    file: "connector/core/lists/pagination-guard.ts",
    search: '    this.#confirming = "requested";\n',
    replace:
      '    this.#confirming = "requested";\n    if (this.#pagesWithoutNews > 0) return { kind: "ended by an empty page" };\n',
    test: ["test/core/lists/list-walk.test.ts", "does not take an empty page for the end that hides items"],
  },
  {
    name: "anonymous-response-covered",
    harm: "a response that came without its respondent is never read again",
    file: "connector/core/sync/respondent-stream-progress.ts",
    search: "for (const { timestamp } of anonymous) this.cursor.leaveOpen(surveyId, timestamp);",
    replace: "",
    test: [
      "test/core/sync/respondent-stream-progress.test.ts",
      "a response that names nobody leaves its timestamp open",
    ],
  },
  {
    name: "rounded-timestamps-ignored",
    harm: "a service that shows milliseconds loses the responses of the last one",
    file: "connector/core/lists/list-walk.ts",
    search: "addMicroseconds(from, grainOf(from) - 1)",
    replace: "from",
    test: SYNC,
  },
  {
    name: "respondent-read-too-short",
    harm: "a covered newer response hides an older one that appeared late in another survey",
    file: "connector/core/sync/respondent-queue.ts",
    search: "if (depth !== undefined && microsecondsOf(oldest) >= depth) continue;",
    replace: "if (depth !== undefined) continue;",
    test: ["test/core/sync/respondent-stream-progress.test.ts", "is read further when an older one is found"],
  },
  {
    name: "lookback-shortens-the-state",
    harm: "each sync that fails takes the state back by another lookback",
    file: "connector/core/coverage/coverage.ts",
    search: "return [...kept, [newest, newest]];",
    replace: "return kept;",
    test: [
      "test/core/coverage/coverage.test.ts",
      "is re-opened once, however many syncs end before they read it again",
    ],
  },
  {
    name: "walk-without-measure",
    harm: "a list that cannot be read below some timestamp is requested for ever",
    file: "connector/core/lists/list-walk.ts",
    search: "if (!this.#isLower(below, itemsPerPage)) return endedEarly(list, this.#seen.lowest);",
    replace: "",
    test: ["test/core/lists/list-walk.test.ts", "never asks twice for the same without a link"],
  },
  {
    name: "link-to-another-list",
    harm: "the items of another survey come out under this survey's id",
    file: "connector/core/lists/list-walk.ts",
    search: "if (refused) return refused;",
    replace: "",
    test: ["test/core/lists/list-walk.test.ts", "follows no link to another survey's list"],
  },
  {
    name: "notes-count-as-outage",
    harm: "after a hundred people were deleted, each later sync stops before it reads anybody else",
    file: "connector/core/sync/respondent-task.ts",
    search:
      "if (this.#ledBy !== undefined && !this.#respondent.isRecheck) this.#stream.answeredNotFound(error);",
    replace: "this.#stream.answeredNotFound(error);",
    test: ["test/sync/many-syncs.test.ts", "who are only configured are no outage"],
  },
  {
    name: "outage-without-trial",
    harm: "a stream never gets past people who were deleted next to each other",
    file: "connector/core/sync/respondent-stream-progress.ts",
    search: "return this.queue.nextFromEnd();",
    replace: "return this.queue.next();",
    test: ["test/sync/many-syncs.test.ts", "1,000 next to each other"],
  },
  {
    name: "lagging-list-is-delivered",
    harm: "a response that its respondent's list does not show yet is lost",
    file: "connector/core/sync/respondent-task.ts",
    search: "if (this.#hasProblem || this.#lacksRecent()) {",
    replace: "if (this.#hasProblem) {",
    test: ["test/sync/many-syncs.test.ts", "is read again until it holds it"],
  },
  {
    name: "configured-404-is-delivered",
    harm: "a configured respondent who was not found is lost when a response leads to them later",
    file: "connector/core/sync/respondent-task.ts",
    search: "if (ledBy === undefined) queue.forget(this.#respondent);",
    replace: "if (ledBy === undefined) this.#stream.delivered(this.#respondent);",
    test: [
      "test/sync/respondents.test.ts",
      "a configured one whose response comes after they were not found",
    ],
  },
  {
    name: "end-stays-unproved",
    harm: "where lists close with an empty page, the state and the requests grow with each sync",
    file: "connector/core/lists/list-walk.ts",
    search: "if (this.#older !== null) this.#sendsEnd = false;",
    replace: "",
    test: ["test/sync/many-syncs.test.ts", "where lists close with an empty page"],
  },
  {
    name: "state-without-limit",
    harm: "a state grows with every item that cannot be read",
    file: "connector/core/sync/stream-cursor.ts",
    search: "map.set(id, mostOf(grown));",
    replace: "map.set(id, grown);",
    test: ["test/sync/many-syncs.test.ts", "where many items cannot be read"],
  },
];
