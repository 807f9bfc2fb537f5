import { expect, it, vi } from "vitest";
import { createService } from "../../sandbox/index.ts";
import { createSimulatedClock } from "../support/clock.ts";
import { ORIGIN, simulatedHost } from "../support/host.ts";

const KEY = "PLANTED-k3y-9f2c";
/** Everything that was passed to the core, with the name of the function. */
const passed: [name: string, values: readonly unknown[]][] = [];

vi.mock(import("@survey-export/core"), async (importOriginal) => {
  const core = await importOriginal();
  const watched = Object.entries(core).map(([name, value]) => {
    const isPlainFunction = typeof value === "function" && value !== core.SurveyExportError;
    // A redactor must know what it hides, and a type guard keeps nothing.
    if (!isPlainFunction || name === "createRedactor" || name === "isObject") return [name, value];
    const call = value as (...values: unknown[]) => unknown;
    return [
      name,
      (...values: unknown[]) => {
        passed.push([name, values]);
        return call(...values);
      },
    ];
  });
  return Object.fromEntries(watched) as typeof core;
});

/** Every string that can be reached from a value. */
function stringsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === "string") return [value];
  if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value))
    return [];
  seen.add(value);
  const inner = value instanceof Map || value instanceof Set ? [...value] : [];
  return [...inner, ...Reflect.ownKeys(value).map((name) => Reflect.get(value, name))].flatMap((each) =>
    stringsIn(each, seen),
  );
}

it("nothing that the core is given holds the key: only the factory of transports is given it", async () => {
  const { check } = await import("../../connector/airbyte/check.ts");
  const { requireConfiguration } = await import("../../connector/airbyte/configuration.ts");
  const { read } = await import("../../connector/airbyte/read.ts");
  const { MessageWriter } = await import("../../connector/airbyte/message-writer.ts");
  const clock = createSimulatedClock();
  const { signal } = new AbortController();
  const sandbox = createService({ clock, apiKey: KEY, surveys: [{ id: "a", responses: [] }] });
  const given: unknown[] = [];
  const machine = {
    clock,
    createHash: () => String,
    createTransport: (...values: unknown[]) => {
      given.push(values);
      return simulatedHost(sandbox, clock).transport;
    },
  };
  const writer = new MessageWriter({ write: async () => {} }, clock);
  const configuration = requireConfiguration({ base_url: `${ORIGIN}/v2`, api_key: KEY, survey_ids: ["a"] });
  const selected = [{ name: "survey_responses", syncMode: "incremental" }] as const;
  await check(writer, configuration, machine, signal);
  await read(writer, { configuration, selected, states: new Map() }, machine, signal);

  expect(stringsIn(given)).toContain(KEY);
  const names = passed.map(([name]) => name);
  for (const name of ["createClient", "probe", "readStreams"]) expect(names).toContain(name);
  for (const [name, values] of passed) {
    expect(
      stringsIn(values).filter((text) => text.includes(KEY)),
      name,
    ).toEqual([]);
  }
});
