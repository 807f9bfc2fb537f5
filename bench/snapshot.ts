import { type Figure, grouped, median, type Row, ratioRow, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { survey } from "./service.ts";

const SIZES: Readonly<Record<Size, { count: number; rounds: number }>> = {
  full: { count: 100_000, rounds: 3 },
  quick: { count: 20_000, rounds: 1 },
  tiny: { count: 500, rounds: 1 },
};
const LATENCY_MS = 30;
const REQUESTS = 1.03;
const TIME = 1.05;
const MEMORY = 1.05;

/** A snapshot of keys, which shows what was deleted, against a first read of the responses. */
export const snapshot: Figure = {
  name: "snapshot",
  about: "a snapshot of keys against a read of the responses: requests, time, memory, real socket",
  async measure(size) {
    const { count, rounds } = SIZES[size];
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const options = { surveys: [survey("1", count)], limits: false, latencyMs: LATENCY_MS };
    const sandbox = await startRemote(sandboxProgram, options);
    const read = async (streams: string) => {
      await sandbox.control("DELETE", "/sandbox/stats");
      const beganMs = performance.now();
      const { usage } = await run(ours, [sandbox.url, sandbox.apiKey, streams, "keep", "1"]);
      const seconds = (performance.now() - beganMs) / 1000;
      const { requests } = await sandbox.control<{ requests: number }>("GET", "/sandbox/stats");
      return { seconds, requests, megabytes: usage.peakMegabytes };
    };
    const streams = { responses: "survey_responses", keys: "response_keys,response_key_snapshots" };
    const both = `${streams.responses},${streams.keys}`;
    const runs: Record<string, Awaited<ReturnType<typeof read>>[]> = { responses: [], keys: [], both: [] };
    await read(both);
    for (let round = 0; round < rounds; round++) {
      for (const [name, chosen] of Object.entries({ ...streams, both })) runs[name]!.push(await read(chosen));
    }
    await sandbox.close();
    const of = (which: "responses" | "keys" | "both", what: "seconds" | "requests" | "megabytes"): number =>
      median(runs[which]!.map((one) => one[what]));
    const title = `snapshot of ${grouped(count)} responses, ${LATENCY_MS} ms`;
    const row = (figure: string, target: number, ratio: number): Row =>
      ratioRow("real", `${title}: ${figure}`, "≤", target, ratio);
    return {
      rows: [
        row("requests / fewest possible", REQUESTS, of("keys", "requests") / Math.ceil(count / 100)),
        row(
          "requests beside survey_responses / without",
          1,
          of("both", "requests") / of("responses", "requests"),
        ),
        row("time / reading survey_responses", TIME, of("keys", "seconds") / of("responses", "seconds")),
        row(
          "peak memory / reading survey_responses",
          MEMORY,
          of("keys", "megabytes") / of("responses", "megabytes"),
        ),
      ],
      notes: [
        `snapshot: ${grouped(of("keys", "requests"))} requests, ${of("keys", "seconds").toFixed(2)} s, ${of("keys", "megabytes").toFixed(0)} MB`,
      ],
    };
  },
};
