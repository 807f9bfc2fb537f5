import { type Figure, grouped, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { CONFIGURED, survey } from "./service.ts";

const CPU_PERCENT = 5;
const MEGABYTES = 130;
const LATENCY_MS = 100;
/**
 * How long to read. The requests of a minute may start as fast as the service answers: one page more than whole minutes
 * hold makes the read last these minutes.
 */
const MINUTES: Readonly<Record<Size, number>> = { full: 3, quick: 1, tiny: 0.1 };

/** What a read costs the machine while the service's limit, and nothing else, says how fast it is. */
export const cost: Figure = {
  name: "cost",
  about: "CPU, memory and bytes received while reading at the full rate, real socket",
  async measure(size) {
    const pages = MINUTES[size] * CONFIGURED + 1;
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const sandbox = await startRemote(sandboxProgram, {
      surveys: [survey("1", pages * 100)],
      latencyMs: LATENCY_MS,
    });
    const beganMs = performance.now();
    const words = [sandbox.url, sandbox.apiKey, "survey_responses", "keep", "1"];
    const { usage, bytes } = await run(ours, [...words, `--rate=${CONFIGURED}`]);
    const seconds = (performance.now() - beganMs) / 1000;
    const { requests } = await sandbox.control<{ requests: number }>("GET", "/sandbox/stats");
    await sandbox.close();
    const { cpuSeconds, peakMegabytes, receivedBytes } = usage;
    const percent = (cpuSeconds / seconds) * 100;
    const read = `reading at ${CONFIGURED} requests a minute, ${grouped(requests)} requests in ${seconds.toFixed(0)} s, ${LATENCY_MS} ms`;
    const responses = pages * 100;
    return {
      rows: [
        {
          figure: `CPU of one core, ${read}`,
          target: `≤ ${CPU_PERCENT} %`,
          measured: `${percent.toFixed(1)} %`,
          met: percent <= CPU_PERCENT,
          kind: "real",
        },
        {
          figure: `peak memory, ${read}`,
          target: `≤ ${MEGABYTES} MB`,
          measured: `${peakMegabytes.toFixed(0)} MB`,
          met: peakMegabytes <= MEGABYTES,
          kind: "real",
        },
      ],
      notes: [
        `cost: ${(receivedBytes / responses).toFixed(0)} bytes received and ${(bytes / responses).toFixed(0)} written for each response (gzip, HTTP headers included); ${((cpuSeconds / requests) * 1000).toFixed(1)} ms of CPU for each request of 100 responses, the start of the program included`,
      ],
    };
  },
};
