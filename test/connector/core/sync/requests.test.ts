import { createClient, type HttpResponse, SurveyExportError, say } from "@survey-export/core";
import { describe, expect, it, vi } from "vitest";
import { ATTEMPTS_OF_A_TRY } from "../../../../connector/core/sync/outage.ts";
import { Requests } from "../../../../connector/core/sync/requests.ts";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { answering, page } from "../../../model/support/connection.ts";

/** Requests over a service that answers after a second. */
function requesting(answer: () => HttpResponse = () => page([])) {
  const clock = createSimulatedClock(0);
  let sent = 0;
  const client = createClient(
    {
      ...{ clock, log: () => {} },
      transport: async (_, signal) => {
        sent++;
        await clock.sleep(1000, signal);
        return answer();
      },
    },
    { baseUrl: "http://service.local/v2", maxConcurrentRequests: 2 },
  );
  const onEnd = vi.fn();
  return { clock, onEnd, requests: new Requests(client, onEnd), sent: () => sent };
}
const body = (text: string): string => text;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a slot", () => {
  it("is held until its work has ended, and people have the next one before pages", async () => {
    const { requests } = requesting();
    const begun: string[] = [];
    const end = new Map<string, () => void>();
    const work = (turn: "person" | "page", name: string) =>
      requests.inSlot(turn, () => {
        begun.push(name);
        return new Promise<void>((resolve) => end.set(name, resolve));
      });
    const all = [work("page", "1"), work("page", "2"), work("page", "3"), work("person", "anna")];
    expect([begun, requests.peopleWaiting]).toEqual([["1", "2"], 1]);
    for (const name of ["2", "anna", "1", "3"]) {
      end.get(name)?.();
      await tick();
    }
    await Promise.all(all);
    expect([begun, requests.peopleWaiting]).toEqual([["1", "2", "anna", "3"], 0]);
  });

  it("is free again if its work throws", async () => {
    const { requests } = requesting();
    const failing = Array.from({ length: 3 }, () => requests.inSlot("page", () => Promise.reject("no")));
    for (const each of failing) await expect(each).rejects.toBe("no");
    expect(await requests.inSlot("page", async () => "yes")).toBe("yes");
  });
});

describe("a request", () => {
  it("brings its page, or why that never came", async () => {
    const answers = [page([1]), answering(403)];
    const { requests } = requesting(() => answers.shift()!);
    expect(await requests.get("/a", body)).toEqual({ page: page([1]).body });
    expect(await requests.get("/a", body)).toMatchObject({ error: { code: "forbidden" } });
  });

  it("is sent as often as was asked, and as often as a try is once the service has been silent for a minute", async () => {
    const { requests, sent, clock } = requesting(() => answering(500));
    await requests.get("/a", body, 3);
    expect(sent()).toBe(3);
    await clock.sleep(60_000);
    await requests.get("/a", body);
    expect(sent()).toBe(3 + ATTEMPTS_OF_A_TRY);
  });

  it("that brings something ends the doubt about lists that failed before", async () => {
    const { requests } = requesting();
    const told = vi.fn();
    requests.outage.failed(new SurveyExportError("transient", "unavailable", say`It failed.`), told);
    expect(told).not.toHaveBeenCalled();
    await requests.get("/a", body);
    expect(told).toHaveBeenCalledOnce();
  });

  it("throws a defect: that is not the service's", async () => {
    const broken = () => {
      throw new TypeError("no such thing");
    };
    await expect(requesting().requests.get("/a", broken)).rejects.toMatchObject({ code: "defect" });
  });
});

it("when all requests are stopped, those under way and those that come later end with the reason", async () => {
  const { requests, sent } = requesting();
  const underWay = requests.get("/a", body);
  requests.stop("enough");
  await expect(underWay).rejects.toBe("enough");
  const before = sent();
  await expect(requests.get("/a", body)).rejects.toBe("enough");
  expect(sent()).toBe(before);
});

describe("the watch", () => {
  it("tells of each minute without news", async () => {
    const { requests, clock } = requesting();
    const onQuiet = vi.fn();
    let lastMs = clock.monotonicMs();
    const watching = requests.watch(() => lastMs, onQuiet);
    await clock.sleep(90_000);
    expect(onQuiet).toHaveBeenCalledTimes(1);
    lastMs = clock.monotonicMs();
    await clock.sleep(35_000);
    expect(onQuiet, "there was news half a minute ago").toHaveBeenCalledTimes(1);
    requests.stop("enough");
    await expect(watching).rejects.toBe("enough");
  });

  it("ends the sync two minutes after the last answer, once", async () => {
    const { requests, clock, onEnd } = requesting(() => answering(500));
    const startMs = clock.monotonicMs();
    const watching = requests.watch(
      () => clock.monotonicMs(),
      () => {},
    );
    void requests.get("/a", body);
    await watching;
    expect(clock.monotonicMs() - startMs).toBeLessThan(122_000);
    expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(120_000);
    expect([onEnd.mock.calls.length, requests.outage.error?.scope]).toEqual([1, "run"]);
  });
});
