import { createService } from "../sandbox/index.ts";
import { createSimulatedClock } from "../test/simulation/clock.ts";
import { simulatedHost, connectTo } from "../test/simulation/host.ts";
import { read } from "../connector/core/index.ts";
for (const count of [30000, 100000]) { const reqs: number[] = [], sp: number[] = []; const per: string[] = [];
for (const seed of [1,2,3,4]) for (const density of ["even","old","bursts","burst"] as const) {
  const clock = createSimulatedClock();
  const sandbox = createService({ clock, latencyMs: 250, limits: {concurrent: 5, perMinute: false} as any, surveys: [{ id: "s", content: "little", responses: { seed, count, density, from: "2023-01-01T00:00:00.000000Z", to: "2026-01-01T00:00:00.000000Z", respondents: 1000 } }] });
  const service = connectTo(simulatedHost(sandbox, clock), { requestsPerMinute: 1e9 });
  const t0 = clock.now(); let n = 0;
  for await (const e of read(service, { surveyIds: ["s"], respondentUuids: [], streams: new Map([["survey_responses", undefined]]) })) if (e.type === "records") n += e.records.length;
  if (n !== count) throw new Error("lost");
  const pages = Math.ceil(count/100);
  reqs.push(service.traffic.requests/pages); sp.push(pages*250/(clock.now() - t0));
  if (density==="bursts") per.push((service.traffic.requests/pages).toFixed(3));
}
console.log(count, "worst req", Math.max(...reqs).toFixed(3), "mean", (reqs.reduce((a,b)=>a+b)/reqs.length).toFixed(3), "worst speed", Math.min(...sp).toFixed(2), "bursts", per.join(" ")); }
