import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FAULT_CATALOGUE, type FaultName } from "../../sandbox/index.ts";
import {
  COUNT,
  inProcess,
  isWhole,
  lost,
  overSocket,
  type Reached,
  SIZE,
  sync,
} from "./support/sandbox-sync.ts";

/* What becomes of a sync that meets one of the sandbox's faults: the table of spec/service.md, row by row. */

/** What has happened when a sync ends that met a fault. */
interface Met extends Reached, Awaited<ReturnType<typeof sync>> {
  /** By the clock of the client. */
}
type Check = (met: Met) => void;

/** What must hold after a sync that met a fault. */
interface Outcome {
  /** The word of spec/service.md, with the error's code. */
  readonly says: string;
  readonly isComplete: boolean;
  readonly codes: readonly string[];
  /** Whether the state says that all of the survey was delivered. */
  readonly isCovered: boolean;
  readonly checks: readonly Check[];
  /** How many times as fast as ours time passes over a socket. Default 5: an outage is 24 seconds of ours, more than a machine is ever busy. */
  readonly haste?: number;
}

const nothingIsLost: Check = (met) => expect(lost(met)).toEqual([]);
const mostOfItCame: Check = ({ records }) => expect(records.length).toBeGreaterThanOrEqual(COUNT - SIZE);
const requestsWereRetried: Check = ({ client }) => expect(client.counts.retries).toBeGreaterThan(0);
const noneWasRetried: Check = ({ client }) => expect(client.counts.retries).toBe(0);
const requestsWaited: Check = ({ waits }) => expect(waits).toBeGreaterThan(0);

const warnsOf =
  (words: RegExp): Check =>
  ({ warnings }) =>
    expect(warnings.join("\n")).toMatch(words);
const fails =
  (words: RegExp): Check =>
  ({ failures: [first] }) =>
    expect(first?.message).toMatch(words);

const complete = (says: string, ...checks: readonly Check[]): Outcome => ({
  says,
  isComplete: true,
  codes: [],
  isCovered: true,
  checks,
});
const withGap = (says: string, ...checks: readonly Check[]): Outcome => ({
  ...complete(says, ...checks),
  isCovered: false,
});
const incomplete = (word: string, code: string, ...checks: readonly Check[]): Outcome => ({
  ...withGap(`${word}: ${code}`, ...checks),
  isComplete: false,
  codes: [code],
});

const READ = complete("read", nothingIsLost);
const GOT_PAST = complete("got past", nothingIsLost);
const ASKED_AGAIN = complete("asked again", nothingIsLost, requestsWereRetried);
const WAITED_OUT = complete("waited out", nothingIsLost, requestsWaited);
const OMITTED = withGap("omitted", mostOfItCame, warnsOf(/warn Stream survey_responses: .* cannot be read/));
const deferred = (code: string) => incomplete("deferred", code, nothingIsLost);
/** A refused link on the last page hides that the list has ended, so not all is covered. */
const reported = (code: string) => incomplete("reported", code, nothingIsLost);
const reportedOnce = (code: string): Outcome => ({ ...reported(code), isCovered: true });
/** No retry can help, so none is made. */
const failsAtOnce = (code: string) => incomplete("fails", code, noneWasRetried);
const TRIED = / This was tried (\d+ times in|for) \d+ (s|min)\./;
const failsAfterRetries = (code: string) =>
  incomplete("fails", code, fails(/GET \/surveys\/s1\/responses/), fails(TRIED));
/** If the machine is busy, an outage may end the sync before the last attempt. */
const failsOverSocket = (code: string): Outcome => ({
  ...incomplete("fails", code, fails(new RegExp(`${TRIED.source}|^The service has .* since `))),
  haste: 50,
});

/** More than a machine is ever busy. Only silence has to meet its time limit. */
const PATIENT_MS = 20_000;

/**
 * Faults; what becomes of a sync that meets one on the survey's second page, and of one that meets it on every page; for
 * faults of the connection, how long the transport waits over a real socket. All others are met in process.
 */
const CASES: readonly (readonly [
  faults: readonly FaultName[],
  once: Outcome,
  permanently: Outcome,
  socketTimeoutMs?: number,
])[] = [
  [["status_429", "status_429_seconds"], WAITED_OUT, failsAfterRetries("rate_limited")],
  [["status_500"], ASKED_AGAIN, failsAfterRetries("unavailable")],
  [["status_503", "status_503_seconds"], WAITED_OUT, failsAfterRetries("unavailable")],
  [["status_200_html", "no_data", "more_without_link"], ASKED_AGAIN, failsAfterRetries("broken_answer")],
  [["item_an_hour_ahead"], ASKED_AGAIN, failsAfterRetries("broken_answer")],
  [["cut_without_length"], ASKED_AGAIN, failsOverSocket("broken_answer"), PATIENT_MS],
  [["reset_before_headers", "cut_with_length"], ASKED_AGAIN, failsOverSocket("no_answer"), PATIENT_MS],
  [["silence"], ASKED_AGAIN, failsOverSocket("no_answer"), 300],
  [["body_huge"], GOT_PAST, failsAtOnce("too_large"), PATIENT_MS],
  [["link_stays"], GOT_PAST, deferred("broken_answer")],
  [["link_back"], GOT_PAST, failsAfterRetries("broken_answer")],
  [["link_absolute", "link_other_survey"], reportedOnce("refused_link"), reported("refused_link")],
  [["redirect_other_host"], GOT_PAST, failsAtOnce("redirected")],
  [["item_without_uuid"], OMITTED, OMITTED],
  [["item_without_respondent", "item_other_types", "item_unknown_fields"], READ, READ],
  [["slow", "link_with_key"], READ, READ],
  [["page_reversed"], deferred("broken_answer"), deferred("broken_answer")],
  [["page_empty", "page_empty_link_on"], GOT_PAST, failsAtOnce("broken_answer")],
  [["status_400_quotes_key"], GOT_PAST, failsAtOnce("rejected")],
  [["status_403"], GOT_PAST, failsAtOnce("forbidden")],
  [["status_404"], GOT_PAST, failsAtOnce("not_found")],
];

it("every fault of the sandbox's catalogue has a case, and spec/service.md says the same of it", () => {
  const rows = readFileSync("spec/service.md", "utf8").matchAll(
    /^\| (`\w+`(?:, `\w+`)*) \| (.*) \| (.*) \|$/gm,
  );
  const documented = [...rows].flatMap(([, faults = "", once, permanently]) =>
    faults.split(", ").map((fault) => `${fault} | ${once} | ${permanently}`.replaceAll("`", "")),
  );
  const tested = CASES.flatMap(([faults, once, permanently]) =>
    faults.map((fault) => `${fault} | ${once.says} | ${permanently.says}`),
  );
  expect(CASES.flatMap(([faults]) => faults).sort()).toEqual(Object.keys(FAULT_CATALOGUE).sort());
  expect(tested.sort()).toEqual(documented.sort());
});

const meetings = CASES.flatMap(([faults, once, permanently, socketTimeoutMs]) =>
  faults.flatMap((reply) => [
    { reply, when: "once", nth: { nth: 2 }, outcome: once, socketTimeoutMs },
    { reply, when: "permanently", nth: {}, outcome: permanently, socketTimeoutMs },
  ]),
);

it.each(meetings)("$reply, $when: $outcome.says", async ({ reply, nth, outcome, socketTimeoutMs }) => {
  const { isComplete, codes, isCovered, checks, haste = 5 } = outcome;
  const reached = socketTimeoutMs === undefined ? inProcess() : await overSocket(socketTimeoutMs, haste);
  const { sandbox, client } = reached;
  sandbox.addFaults({ on: "survey_responses", reply, ...nth });
  // Else the second page may be that of another part.
  const told = await sync(reached, { inOrder: "nth" in nth });
  const found = { isComplete: told.isComplete, codes: told.codes, isCovered: isWhole(reached) };
  expect(found).toEqual({ isComplete, codes, isCovered });
  for (const check of checks) check({ ...reached, ...told });

  sandbox.clearFaults();
  const next = await sync({ ...reached, client: reached.patient ?? client });
  const recovered = { isComplete: next.isComplete, isCovered: isWhole(reached), lost: lost(reached) };
  expect(recovered).toEqual({ isComplete: true, isCovered: true, lost: [] });
});
