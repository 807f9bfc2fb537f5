import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAULT_CATALOGUE, type Fault, type FaultName } from "../../sandbox/index.ts";
import { COUNT, inProcess, isWhole, lost, overSocket, SIZE, sync } from "./support/sandbox-sync.ts";

const HOUR_MS = 3_600_000;

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
    if (outcome !== "reported") expect(isWhole(reached)).toBe(!LEAVES_GAP.includes(outcome));
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
    expect([lost(reached), isWhole(reached)]).toEqual([[], true]);
  });
});
