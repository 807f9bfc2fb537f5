import { readFileSync } from "node:fs";
import {
  type Client,
  type Clock,
  createClient,
  type Message,
  render,
  type StreamName,
  type StreamState,
} from "@survey-export/core";
import { afterEach, describe, expect, it } from "vitest";
import { createTransport } from "../../connector/node/transport.ts";
import {
  createService,
  expectedKeys,
  FAULT_CATALOGUE,
  type Fault,
  type FaultName,
  type Service as Sandbox,
  type ServiceOptions,
  startSandbox,
} from "../../sandbox/index.ts";
import { createSimulatedClock } from "../support/clock.ts";
import { clientOf, simulatedHost } from "../support/host.ts";
import { surveyOf } from "../support/sandbox.ts";
import { Replica, syncInProcess } from "../support/sync.ts";

const COUNT = 60;
const SIZE = 10;
const HOUR_MS = 3_600_000;
const SURVEYS = ["s1", "s2"];
const survey = (id: string) => surveyOf(id, COUNT, { to: "2025-06-01T00:00:00.000000Z" });

/** A sandbox with a client, in process or over a socket, and what its syncs delivered. */
interface Reached {
  readonly client: Client;
  /** For a sync that has nothing to wait out, if the machine's time is that of `client`: never short of time. */
  readonly patient?: Client;
  readonly sandbox: Sandbox;
  readonly warnings: readonly string[];
  readonly replica: Replica;
}

function inProcess(options: ServiceOptions = {}): Reached {
  const clock = createSimulatedClock();
  const sandbox = createService({ clock, latencyMs: 50, surveys: [survey("s1")], ...options });
  const host = simulatedHost(sandbox, clock);
  return { client: clientOf(host), sandbox, warnings: host.logged, replica: new Replica() };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** So many times as fast as the machine's, so that a real socket's faults are waited out in a moment. */
const hastyClock = (haste: number): Clock => ({
  now: () => Date.now(),
  monotonicMs: () => performance.now() * haste,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms / haste);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});

async function overSocket(timeoutMs: number, haste: number): Promise<Reached> {
  const { url, apiKey, service: sandbox, close } = await startSandbox({ surveys: [survey("s1")] });
  closing.push(close);
  const warnings: string[] = [];
  const transport = createTransport({ apiKey, timeoutMs });
  const log = (level: string, message: Message): void => void warnings.push(`${level} ${render(message)}`);
  const clientAt = (clock: Clock): Client => createClient({ clock, log, transport }, { baseUrl: url });
  const clients = { client: clientAt(hastyClock(haste)), patient: clientAt(hastyClock(1)) };
  return { ...clients, sandbox, warnings, replica: new Replica() };
}

interface SyncOptions {
  readonly surveyIds?: readonly string[];
  readonly streams?: readonly StreamName[];
  readonly onWaiting?: () => void;
}

/** One sync, from the state of the sync before. */
async function sync({ client, replica }: Reached, options: SyncOptions = {}) {
  const { surveyIds = ["s1"], streams = ["survey_responses"], onWaiting } = options;
  const told = await syncInProcess(client, replica, {
    surveyIds,
    streams,
    respondentUuids: [],
    itemsPerPage: SIZE,
    lookbackMs: 600_000,
    onEvent: (event) => {
      if (event.type === "waiting") onWaiting?.();
      return undefined;
    },
  });
  return { ...told, codes: [...new Set(told.failures.map(({ code }) => code))] };
}

/** Of `survey_responses`. */
const lost = ({ replica, sandbox }: Reached, surveyIds = ["s1"]): string[] =>
  replica.lost(
    "survey_responses",
    expectedKeys(sandbox.truth, ({ survey_id }) => surveyIds.includes(survey_id)).get("survey_responses")!,
  );
/** Whether the state says that all of the survey was delivered. */
const isCovered = ({ replica }: Reached): boolean => {
  const { surveys } = replica.state("survey_responses") as StreamState;
  return surveys.s1?.length === 1 && surveys.s1[0]![0] === null;
};

const table = [
  ...readFileSync("spec/service.md", "utf8").matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (.*) \| (.*) \|$/gm),
].flatMap(([, names, once, permanently]) =>
  names!
    .split(", ")
    .map((name) => ({ name: name.slice(1, -1) as FaultName, once: once!, permanently: permanently! })),
);
const isOfTheConnection = (name: FaultName): boolean =>
  ["reset", "cut", "silence", "huge"].includes(FAULT_CATALOGUE[name].kind);

/** Outcomes that leave something to the next sync, and those after which a stream is incomplete. */
const LEAVES_GAP = ["fails", "left", "left out", "passed over", "taken for the end"];
const IS_INCOMPLETE = ["fails", "left", "reported"];
/** Failures that no retry can fix, so none is made. */
const isFinal = (code: string): boolean =>
  ["refused_link", "redirected", "too_large", "rejected", "not_found", "forbidden"].includes(code);

it("the table of spec/service.md names every fault of the sandbox's catalogue", () => {
  expect(table.map(({ name }) => name).sort()).toEqual(Object.keys(FAULT_CATALOGUE).sort());
});

describe.each(table)("$name", ({ name, once, permanently }) => {
  it.each([
    ["once", once, { on: "survey_responses", nth: 2, reply: name }],
    ["permanently", permanently, { on: "survey_responses", reply: name }],
  ] as const)("%s: %s", async (_, documented, fault: Fault) => {
    const isPermanent = fault.nth === undefined;
    const [outcome = "", code = ""] = documented.replaceAll("`", "").split(": ");
    const isComplete = !IS_INCOMPLETE.includes(outcome);
    // For what passes, an outage is 24 seconds of this machine's: longer than it is ever busy.
    const isWaitedOut = isPermanent && !isComplete && !isFinal(code);
    // Only a time limit ends silence; the other faults must not meet one on a busy machine.
    const timeoutMs = name === "silence" ? 300 : 20_000;
    const reached = isOfTheConnection(name) ? await overSocket(timeoutMs, isWaitedOut ? 50 : 5) : inProcess();
    const { sandbox, client, warnings } = reached;
    sandbox.addFaults(fault);

    const { clock } = client.host;
    const beganMs = clock.monotonicMs();
    const onWaiting = (): void => {
      if (outcome === "waited out" && clock.monotonicMs() - beganMs > HOUR_MS) sandbox.clearFaults();
    };
    const { records, failures, isComplete: wasComplete, codes, waits } = await sync(reached, { onWaiting });

    expect([wasComplete, codes]).toEqual([isComplete, isComplete ? [] : [code]]);
    // A refused link on the last page hides that the list has ended.
    if (outcome !== "reported") expect(isCovered(reached)).toBe(!LEAVES_GAP.includes(outcome));
    const said = warnings.join("\n");
    if (outcome === "left out") {
      expect(records.length).toBeGreaterThanOrEqual(COUNT - SIZE);
      expect(said).toMatch(/warn Stream survey_responses: .* cannot be read/);
    } else if (outcome === "passed over" || outcome === "taken for the end") {
      expect(said).toMatch(/warn .*empty page/);
    } else if (outcome === "left") {
      expect(records.length).toBeGreaterThanOrEqual(name === "page_reversed" ? COUNT : COUNT - SIZE);
    } else if (outcome !== "fails") {
      expect(lost(reached)).toEqual([]);
    } else if (!isFinal(code)) {
      const { message } = failures[0]!;
      if (!isOfTheConnection(name)) expect(message).toContain("GET /surveys/s1/responses");
      expect(message).toMatch(/ This was tried (\d+ times in|for) \d+ (s|min)\.|^The service has .* since /);
    }
    if (outcome === "passed over") expect(records).toHaveLength(COUNT - SIZE);
    if (outcome === "waited out") expect(waits).toBeGreaterThan(0);
    if (outcome === "asked again") expect(client.counts.retries).toBeGreaterThan(0);
    if (outcome === "waited out" && isPermanent)
      expect(clock.monotonicMs() - beganMs).toBeGreaterThan(HOUR_MS);

    sandbox.clearFaults();
    expect((await sync({ ...reached, client: reached.patient ?? client })).isComplete).toBe(true);
    expect([lost(reached), isCovered(reached)]).toEqual([[], true]);
  });
});

describe("a survey that is not found", () => {
  const ofBoth = { surveyIds: SURVEYS };
  const isGone = (...ids: string[]): Fault[] =>
    ids.map((id) => ({ on: `/surveys/${id}/`, reply: "status_404" }));

  it.each([
    ["at first", 0, "config", 'Survey "s1" was not found ('],
    ["in mid-sync", 2, "transient", 'Survey "s1" was not found any more after'],
  ])("%s is named, and the others are read", async (_, afterRequests, kind, sentence) => {
    let answered = 0;
    const remove = () => reached.sandbox.remove({ surveys: ["s1"] });
    const onAnswer = () => {
      if (++answered === afterRequests) remove();
    };
    const reached = inProcess({ surveys: SURVEYS.map(survey), onAnswer });
    if (afterRequests === 0) remove();
    const { isComplete, failures } = await sync(reached, ofBoth);
    expect(isComplete).toBe(false);
    expect(failures).toEqual([
      expect.objectContaining({ kind, code: "not_found", message: expect.stringContaining(sentence) }),
    ]);
    expect(lost(reached, ["s2"])).toEqual([]);
  });

  it.each([
    [SURVEYS, "This does not affect the other surveys."],
    [["s1"], "Remove it from survey_ids or correct the id."],
  ])("is said not to affect the others if there are any: %j", async (surveyIds, lastSentence) => {
    const reached = inProcess({ surveys: SURVEYS.map(survey) });
    reached.sandbox.addFaults(...isGone("s1"));
    const [failure] = (await sync(reached, { surveyIds })).failures;
    expect(failure?.message).toMatch(new RegExp(`${lastSentence}$`));
  });

  it("and that an earlier sync has read is a warning while another one is found, and loses nothing if it comes back", async () => {
    const reached = inProcess({ surveys: SURVEYS.map(survey) });
    await sync(reached, ofBoth);
    for (const id of SURVEYS) reached.sandbox.collect(id, { count: 3 });
    reached.sandbox.addFaults(...isGone("s1"));
    expect(await sync(reached, ofBoth)).toMatchObject({ isComplete: true, failures: [] });
    expect(reached.warnings).toContain(
      'warn These surveys were read before, or are listed, and are not found now (status 404): "s1". This does not affect the other surveys. Remove those that were deleted from survey_ids.',
    );
    reached.sandbox.clearFaults();
    await sync(reached, ofBoth);
    expect(lost(reached, SURVEYS)).toEqual([]);
  });

  it("and that an earlier sync has read is an error if none is found, since the address or the key may be wrong", async () => {
    const reached = inProcess({ surveys: SURVEYS.map(survey) });
    await sync(reached, ofBoth);
    reached.sandbox.addFaults(...isGone(...SURVEYS));
    expect(await sync(reached, ofBoth)).toMatchObject({ isComplete: false, codes: ["not_found"] });
  });
});

it("a key that is no longer accepted ends the run at once, with what was delivered in the state", async () => {
  // Items that have their names: no page waits.
  const reached = inProcess({ dialect: "as_documented" });
  const reply = { kind: "status", status: 401 } as const;
  reached.sandbox.addFaults({ on: "survey_responses", nth: [4, 5, 6, 7, 8, 9], reply });
  const broken = await sync(reached);
  expect(broken).toMatchObject({ isComplete: false, codes: ["unauthorized"] });
  expect(broken.records).toHaveLength(30);
  reached.sandbox.clearFaults();
  const next = await sync(reached);
  expect(next.isComplete).toBe(true);
  expect(next.records.length).toBeLessThanOrEqual(COUNT - 25);
  expect(lost(reached)).toEqual([]);
});

it.each(["status_429", "status_503"] as const)(
  "an hour of %s on every list is waited out, with an event at least every minute",
  async (reply) => {
    const reached = inProcess();
    const { clock } = reached.client.host;
    const beganMs = clock.monotonicMs();
    let toldMs = beganMs;
    let longestSilenceMs = 0;
    reached.sandbox.addFaults({ on: "any", reply });
    const onWaiting = (): void => {
      longestSilenceMs = Math.max(longestSilenceMs, clock.monotonicMs() - toldMs);
      toldMs = clock.monotonicMs();
      if (toldMs - beganMs > HOUR_MS) reached.sandbox.clearFaults();
    };
    const streams: StreamName[] = ["survey_responses", "respondent_responses"];
    const { isComplete, failures, records } = await sync(reached, { streams, onWaiting });
    expect([isComplete, failures, records.length]).toEqual([true, [], 2 * COUNT]);
    expect(longestSilenceMs).toBeLessThanOrEqual(61_000);
  },
);
