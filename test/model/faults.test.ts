import { readFileSync } from "node:fs";
import {
  type Client,
  type Clock,
  createClient,
  type InitialState,
  type Message,
  parseStreamState,
  readStreams,
  render,
  STREAMS,
  type StreamName,
  type StreamRecord,
  type StreamState,
  type SurveyExportError,
  surveysIn,
} from "@survey-export/core";
import { afterEach, describe, expect, it } from "vitest";
import { createTransport } from "../../connector/node/transport.ts";
import {
  createService,
  FAULT_CATALOGUE,
  type Fault,
  type FaultName,
  type Service as SandboxService,
  type ServiceOptions,
  startSandbox,
} from "../../sandbox/index.ts";
import { createSimulatedClock } from "./support/clock.ts";
import { clientOf, simulatedHost } from "./support/host.ts";

const COUNT = 60;
const SIZE = 10;
const HOUR_MS = 3_600_000;
const survey = (id: string, seed: number) => ({
  id,
  responses: {
    seed,
    count: COUNT,
    density: "even" as const,
    from: "2025-01-01T00:00:00.000000Z",
    to: "2025-06-01T00:00:00.000000Z",
    respondents: 20,
  },
});

/** A sandbox with a client, in process or over a socket. */
interface Reached {
  readonly client: Client;
  /** For a sync that has nothing to wait out, if the machine's time is that of `client`: never short of time. */
  readonly patient?: Client;
  readonly sandbox: SandboxService;
  readonly warnings: readonly string[];
}

function inProcess(options: ServiceOptions = {}): Reached {
  const clock = createSimulatedClock();
  const sandbox = createService({ clock, latencyMs: 50, surveys: [survey("s1", 3)], ...options });
  const host = simulatedHost(sandbox, clock);
  return { client: clientOf(host), sandbox, warnings: host.logged };
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
  const { url, apiKey, service: sandbox, close } = await startSandbox({ surveys: [survey("s1", 3)] });
  closing.push(close);
  const warnings: string[] = [];
  const transport = createTransport({ apiKey, timeoutMs });
  const log = (level: string, message: Message): void => void warnings.push(`${level} ${render(message)}`);
  const clientAt = (clock: Clock): Client => createClient({ clock, log, transport }, { baseUrl: url });
  return { client: clientAt(hastyClock(haste)), patient: clientAt(hastyClock(1)), sandbox, warnings };
}

/** One sync, and what it reported. `while` is asked at every event; false stops waiting. */
async function sync(
  { client }: Reached,
  streams: ReadonlyMap<StreamName, InitialState | undefined>,
  options: { surveyIds?: readonly string[]; onWaiting?: () => void } = {},
) {
  const keys = new Map<StreamName, Set<string>>([...streams.keys()].map((stream) => [stream, new Set()]));
  const states = new Map<StreamName, StreamState>();
  const failures: SurveyExportError[] = [];
  let complete = true;
  let waits = 0;
  const events = readStreams(client, {
    surveyIds: options.surveyIds ?? ["s1"],
    respondentUuids: [],
    streams: new Map([...streams].map(([name, state]) => [STREAMS[name], state])),
    knownSurveys: surveysIn(streams.values()),
    itemsPerPage: SIZE,
    lookbackMs: 600_000,
  });
  for await (const event of events) {
    if (event.type === "records")
      for (const record of event.records) keys.get(event.stream)!.add(keyOf(record));
    if (event.type === "failure") failures.push(event.error);
    if (event.type === "waiting") {
      waits++;
      options.onWaiting?.();
    }
    if (event.type === "end") {
      complete &&= event.complete;
      states.set(event.stream, event.state.toJSON());
    }
  }
  return { keys, failures, complete, waits, states };
}

const keyOf = (record: StreamRecord): string =>
  "uuid" in record ? String(record.uuid) : `${record.respondent_uuid} ${record.id}`;
const first = (...streams: StreamName[]) =>
  new Map<StreamName, undefined>(streams.map((stream) => [stream, undefined]));
const from = (states: ReadonlyMap<StreamName, StreamState>) =>
  new Map(
    [...states].map(([stream, state]) => [
      stream,
      parseStreamState(JSON.parse(JSON.stringify(state)), stream),
    ]),
  );
/** Whether the state says that all of the survey was delivered. */
const isCovered = (states: ReadonlyMap<StreamName, StreamState>): boolean => {
  const [interval, ...others] = states.get("survey_responses")!.surveys.s1 ?? [];
  return interval?.[0] === null && others.length === 0;
};
const truth = (sandbox: SandboxService, id = "s1"): string[] =>
  [...sandbox.truth.responses(id)].map(({ uuid }) => uuid);

const table = [
  ...readFileSync("spec/service.md", "utf8").matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (.*) \| (.*) \|$/gm),
].flatMap(([, names, once, forGood]) =>
  names!
    .split(", ")
    .map((name) => ({ name: name.slice(1, -1) as FaultName, once: once!, forGood: forGood! })),
);
const isOfTheConnection = (name: FaultName): boolean =>
  ["reset", "cut", "silence", "huge"].includes(FAULT_CATALOGUE[name].kind);

/** Outcomes that leave something to the next sync, and those after which a stream is incomplete. */
const LEAVES_GAP = ["fails", "left", "left out", "passed over", "taken for the end"];
const IS_INCOMPLETE = ["fails", "left", "reported"];

/** Failures that no retry can fix, so none is made. */
const isFinal = (code: string): boolean =>
  ["refused_link", "redirected", "too_large", "rejected", "not_found"].includes(code);

/** Only a time limit ends it; the other faults must not meet one on a busy machine. */
const takesForEver = (name: FaultName): boolean => name === "silence";

it("the table of spec/service.md names every fault of the sandbox's catalogue", () => {
  expect(table.map(({ name }) => name).sort()).toEqual(Object.keys(FAULT_CATALOGUE).sort());
});

describe.each(table)("$name", ({ name, once, forGood }) => {
  it.each([
    ["once", once, { on: "survey_responses", nth: 2, reply: name }],
    ["permanently", forGood, { on: "survey_responses", reply: name }],
  ] as const)("%s: %s", async (_, documented, fault: Fault) => {
    const isForGood = fault.nth === undefined;
    const [outcome, code] = documented.replaceAll("`", "").split(": ");
    const isComplete = !IS_INCOMPLETE.includes(outcome!);
    // For what passes, an outage is 24 seconds of this machine's: longer than it is ever busy.
    const isWaitedOut = isForGood && !isComplete && !isFinal(code!);
    const reached = isOfTheConnection(name)
      ? await overSocket(takesForEver(name) ? 300 : 20_000, isWaitedOut ? 1000 : 5)
      : inProcess();
    const { sandbox, client, warnings } = reached;
    sandbox.addFaults(fault);
    const all = truth(sandbox);

    const { clock } = client.host;
    const beganMs = clock.monotonicMs();
    const onWaiting = (): void => {
      if (isForGood && outcome === "waited out" && clock.monotonicMs() - beganMs > HOUR_MS)
        sandbox.clearFaults();
    };
    const { keys, failures, complete, waits, states } = await sync(reached, first("survey_responses"), {
      onWaiting,
    });
    const came = keys.get("survey_responses")!;
    const codes = [...new Set(failures.map((failure) => failure.code))];

    expect([complete, codes]).toEqual([isComplete, isComplete ? [] : [code]]);
    // A refused link on the last page hides that the list has ended.
    if (outcome !== "reported") expect(isCovered(states)).toBe(!LEAVES_GAP.includes(outcome!));
    const said = warnings.join("\n");
    if (outcome === "left out") {
      expect(came.size).toBeGreaterThanOrEqual(COUNT - SIZE);
      expect(said).toMatch(/warn Stream survey_responses: .* cannot be read/);
    } else if (outcome === "passed over" || outcome === "taken for the end") {
      expect(said).toMatch(/warn .*empty page/);
    } else if (outcome === "left") {
      expect(came.size).toBeGreaterThanOrEqual(name === "page_reversed" ? COUNT : COUNT - SIZE);
    } else if (outcome !== "fails") {
      expect([...came].sort()).toEqual([...all].sort());
    } else if (!isFinal(code!)) {
      const { message } = failures[0]!;
      if (!isOfTheConnection(name)) expect(message).toContain("GET /surveys/s1/responses");
      expect(message).toMatch(/ This was tried (\d+ times in|for) \d+ (s|min)\.|^The service has .* since /);
    }
    if (outcome === "passed over") expect(came.size).toBe(COUNT - SIZE);
    if (outcome === "waited out") expect(waits).toBeGreaterThan(0);
    if (outcome === "asked again") expect(client.counts.retries).toBeGreaterThan(0);
    if (outcome === "waited out" && isForGood) expect(clock.monotonicMs() - beganMs).toBeGreaterThan(HOUR_MS);

    sandbox.clearFaults();
    const next = await sync({ ...reached, client: reached.patient ?? client }, from(states));
    expect(next.complete).toBe(true);
    expect(new Set([...came, ...next.keys.get("survey_responses")!]).size).toBe(all.length);
    expect(isCovered(next.states)).toBe(true);
  });
});

/** Does something once, right after so many requests were answered. */
function onAnswer(requests: number, change: () => void): () => void {
  let answered = 0;
  return () => {
    if (++answered === requests) change();
  };
}

describe("the data changes while it is read", () => {
  const ALL: StreamName[] = ["survey_responses", "respondent_responses", "respondent_attributes"];

  it("a response that appears late, within the lookback, is delivered by the next sync", async () => {
    const reached = inProcess();
    const before = await sync(reached, first("survey_responses", "respondent_responses"));
    const late = reached.sandbox.collect("s1", { count: 3, lateByMs: 300_000 });
    const next = await sync(reached, from(before.states));
    for (const stream of ["survey_responses", "respondent_responses"] as const) {
      expect([...next.keys.get(stream)!]).toEqual(expect.arrayContaining(late));
    }
  });

  it("responses deleted between two pages take no other with them", async () => {
    const reached = inProcess({ onAnswer: onAnswer(1, () => reached.sandbox.remove({ responses: gone })) });
    const all = truth(reached.sandbox);
    const gone = [all[5]!, all[30]!, all.at(-1)!, all.at(-11)!];
    const { keys, complete } = await sync(reached, first("survey_responses"));
    expect(complete).toBe(true);
    const others = all.filter((uuid) => !gone.includes(uuid));
    expect([...keys.get("survey_responses")!]).toEqual(expect.arrayContaining(others));
  });

  it("a respondent that vanishes takes no response of a survey along, and the stream is complete with a warning", async () => {
    const reached = inProcess();
    const [someone] = [...reached.sandbox.truth.respondents("s1")];
    reached.sandbox.remove({ respondents: [someone!] });
    const { keys, complete, failures } = await sync(reached, first(...ALL));
    expect([complete, failures]).toEqual([true, []]);
    expect(keys.get("respondent_responses")!.size).toBe(COUNT);
    expect([...keys.get("respondent_attributes")!].filter((key) => key.startsWith(someone!))).toEqual([]);
    expect(reached.warnings.join("\n")).toMatch(/warn .*1 respondent .*404/);
  });

  it.each([0, 2, 9])(
    "a survey that vanishes after %i requests is named, and the others are read",
    async (afterRequest) => {
      const remove = () => reached.sandbox.remove({ surveys: ["s1"] });
      const reached = inProcess({
        surveys: [survey("s1", 3), survey("s2", 4)],
        onAnswer: onAnswer(afterRequest, remove),
      });
      if (afterRequest === 0) remove();
      const { keys, complete, failures } = await sync(reached, first("survey_responses"), {
        surveyIds: ["s1", "s2"],
      });
      expect(complete).toBe(false);
      expect(failures.map(({ kind, code, message }) => [kind, code, message])).toEqual([
        [
          afterRequest === 0 ? "config" : "transient",
          "not_found",
          expect.stringContaining(`Survey "s1" was not found ${afterRequest === 0 ? "(" : "any more after"}`),
        ],
      ]);
      expect([...keys.get("survey_responses")!]).toEqual(
        expect.arrayContaining(truth(reached.sandbox, "s2")),
      );
    },
  );

  describe("a survey that an earlier sync has read is not found", () => {
    const SURVEYS = ["s1", "s2"];
    const reachedBoth = () => inProcess({ surveys: SURVEYS.map((id, at) => survey(id, at + 3)) });
    const isGone = (...ids: string[]): Fault[] =>
      ids.map((id) => ({ on: `/surveys/${id}/`, reply: "status_404" }));

    it("which is a warning while another one is found, and loses nothing if it comes back", async () => {
      const reached = reachedBoth();
      const before = await sync(reached, first(...ALL), { surveyIds: SURVEYS });
      const fresh = SURVEYS.flatMap((id) => reached.sandbox.collect(id, { count: 3 }));
      reached.sandbox.addFaults(...isGone("s1"));
      const without = await sync(reached, from(before.states), { surveyIds: SURVEYS });
      expect([without.complete, without.failures]).toEqual([true, []]);
      expect(reached.warnings).toContain(
        'warn These surveys were read before and are not found any more (status 404): "s1". What was delivered of them stays. Remove them from survey_ids if they were deleted.',
      );
      reached.sandbox.clearFaults();
      const after = await sync(reached, from(without.states), { surveyIds: SURVEYS });
      const came = [without, after].flatMap(({ keys }) => [...keys.get("survey_responses")!]);
      expect(came).toEqual(expect.arrayContaining(fresh));
    });

    it("which is an error if none is found, since the address or the key may be wrong", async () => {
      const reached = reachedBoth();
      const before = await sync(reached, first("survey_responses"), { surveyIds: SURVEYS });
      reached.sandbox.addFaults(...isGone(...SURVEYS));
      const next = await sync(reached, from(before.states), { surveyIds: SURVEYS });
      expect(next.complete).toBe(false);
      expect(next.failures.map(({ code }) => code)).toEqual(["not_found", "not_found"]);
    });
  });

  const EMPTY_LIST = JSON.stringify({ pagination_data: { has_more: false }, data: [] });
  it.each<[string, Fault["reply"]]>([
    ["keeps failing", "status_500"],
    [
      "lacks the response that led there",
      { kind: "status", status: 200, contentType: "application/json", body: EMPTY_LIST },
    ],
  ])(
    "a respondent's list that %s costs no other response, and is read by the next sync",
    async (_, reply) => {
      const reached = inProcess({ surveys: [survey("s1", 3), survey("s2", 4)] });
      const { sandbox } = reached;
      const configured = truth(sandbox);
      const [someone] = [...sandbox.truth.respondents("s1")];
      const theirs = sandbox.truth.responsesOf(someone!).map(({ uuid }) => uuid);
      const elsewhere = theirs.filter((uuid) => !configured.includes(uuid));
      sandbox.addFaults({ on: `/respondents/${someone}/`, reply });
      const before = await sync(reached, first("respondent_responses"));
      expect([before.complete, before.failures]).toEqual([true, []]);
      expect(reached.warnings.join("\n")).toMatch(/warn .*the lists? of 1 respondent /);
      const came = [...before.keys.get("respondent_responses")!];
      expect(came).toEqual(expect.arrayContaining(configured));
      expect(came).toEqual(expect.not.arrayContaining(elsewhere));
      sandbox.clearFaults();
      const next = await sync(reached, from(before.states));
      expect(next.complete).toBe(true);
      expect([...next.keys.get("respondent_responses")!]).toEqual(expect.arrayContaining(elsewhere));
    },
  );

  it("a key that is no longer accepted ends the run at once, with what was delivered in the state", async () => {
    const reached = inProcess();
    reached.sandbox.addFaults({
      on: "survey_responses",
      nth: [4, 5, 6, 7, 8, 9],
      reply: { kind: "status", status: 401 },
    });
    const broken = await sync(reached, first("survey_responses"));
    expect(broken.complete).toBe(false);
    expect(broken.failures.map(({ code }) => code)).toEqual(["unauthorized"]);
    expect(broken.keys.get("survey_responses")!.size).toBe(30);
    reached.sandbox.clearFaults();
    const next = await sync(reached, from(broken.states));
    expect(next.complete).toBe(true);
    expect(next.keys.get("survey_responses")!.size).toBeLessThanOrEqual(COUNT - 25);
    expect(
      new Set([...broken.keys.get("survey_responses")!, ...next.keys.get("survey_responses")!]).size,
    ).toBe(COUNT);
  });
});

describe("long waits (nothing but simulated time)", () => {
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
        if (clock.monotonicMs() - beganMs > HOUR_MS) reached.sandbox.clearFaults();
      };
      const { complete, failures, keys } = await sync(
        reached,
        first("survey_responses", "respondent_responses"),
        { onWaiting },
      );
      expect([complete, failures]).toEqual([true, []]);
      expect(keys.get("respondent_responses")!.size).toBe(COUNT);
      expect(longestSilenceMs).toBeLessThanOrEqual(61_000);
    },
  );

  it("a service that goes down permanently ends the run with a transient error that names the request and how long", async () => {
    const reached = inProcess();
    reached.sandbox.addFaults({
      on: "survey_responses",
      nth: Array.from({ length: 500 }, (_, number) => number + 3),
      reply: "status_503",
    });
    const { complete, failures, states, keys } = await sync(reached, first("survey_responses"));
    expect(complete).toBe(false);
    expect(failures[0]).toMatchObject({ kind: "transient", code: "unavailable" });
    expect(failures[0]!.message).toMatch(
      /^The service is unavailable \(status 503 to GET \/surveys\/s1\/responses\?.*\)\. This was tried for 1\d\d min\. Run the sync again; everything that was delivered is kept\. If it continues, ask the service\.$/,
    );
    expect(keys.get("survey_responses")!.size).toBe(2 * SIZE);
    expect(states.get("survey_responses")!.surveys.s1).toHaveLength(1);
  });
});
