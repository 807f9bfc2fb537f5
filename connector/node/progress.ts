import type { Clock, Pause, StateSnapshot, StreamName } from "@survey-export/core";
import { logLine } from "../airbyte/messages.ts";
import type { Beginning, Progress } from "../airbyte/progress.ts";
import { shareWalked } from "../airbyte/share-walked.ts";
import type { Screen } from "./screen.ts";

const DRAW_EVERY_MS = 250;
const LOG_EVERY_MS = 30_000;

/**
 * How a read gets on: one live line on a terminal, else a LOG message every half minute. Lines on a standard error
 * that is no terminal would be shown as errors by the platform.
 */
export function createProgress(clock: Clock, screen: Screen | undefined): Progress {
  const isLive = screen?.hasLiveLine === true;
  const everyMs = isLive ? DRAW_EVERY_MS : LOG_EVERY_MS;
  let beginning: Beginning | undefined;
  let beganMs = clock.monotonicMs();
  let shownMs = Number.NEGATIVE_INFINITY;
  let pause: Pause | undefined;
  const counts = new Map<StreamName, number>();
  const states = new Map<StreamName, StateSnapshot>();

  /** What matters first comes first, since a narrow terminal cuts the end off. */
  const facts = (): string[] => {
    const { client, selection } = beginning!;
    const { requests, retries } = client.counts;
    const minutes = (clock.monotonicMs() - beganMs) / 60_000;
    // The first minute's pace would be a guess: many requests start at once.
    const pace = minutes < 1 ? "" : ` (${Math.round(requests / minutes)} a minute)`;
    const share = shareWalked(
      [...states.values()].map((state) => state.toJSON()),
      selection,
    );
    return [
      ...paceFacts(pause, client.rateLimiter.lowered, clock.now()),
      [...counts].map(([name, count]) => `${name} ${count.toLocaleString("en")}`).join(", "),
      ...(share === undefined ? [] : [`${Math.floor(share * 100)} % of the time range`]),
      `${counted(requests, "request", "requests")}${pace}`,
      counted(retries, "retry", "retries"),
    ];
  };
  const show = (): string => {
    shownMs = clock.monotonicMs();
    if (!isLive) return logLine("INFO", `Reading: ${facts().join(" · ")}`);
    screen.draw(facts().join(" · "));
    return "";
  };
  const isDue = (): boolean => clock.monotonicMs() - shownMs >= everyMs;

  return {
    begin(what) {
      beginning = what;
      beganMs = clock.monotonicMs();
      shownMs = isLive ? Number.NEGATIVE_INFINITY : beganMs;
      for (const name of what.streams) counts.set(name, 0);
    },
    records(stream, count, state) {
      counts.set(stream, (counts.get(stream) ?? 0) + count);
      states.set(stream, state);
      return isDue() ? show() : "";
    },
    waiting(latest) {
      if (latest) pause = latest;
      return isLive || isDue() ? show() : "";
    },
    end(stopped) {
      if (beginning === undefined) return undefined;
      pause = undefined;
      screen?.draw("");
      const seconds = ((clock.monotonicMs() - beganMs) / 1000).toFixed(1);
      return `${stopped ? "Stopped before the end, after" : "Read in"} ${seconds} s: ${facts().join(" · ")}`;
    },
  };
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

function paceFacts(pause: Pause | undefined, isLowered: boolean, nowMs: number): string[] {
  if (pause !== undefined && pause.untilMs > nowMs) {
    const why = pause.reason === "rate_limited" ? "rate limit reached" : "service unavailable";
    return [`waiting ${Math.ceil((pause.untilMs - nowMs) / 1000)} s (${why})`];
  }
  return isLowered ? ["slower for a while (rate limit reached)"] : [];
}
