import type { Clock, Pause, StreamName, StreamState } from "@survey-export/core";
import { logLine } from "../airbyte/messages.ts";
import type { Beginning, Progress } from "../airbyte/progress.ts";
import type { Screen } from "./screen.ts";
import { shareWalked } from "./share-walked.ts";

const DRAW_EVERY_MS = 100;
const LOG_EVERY_MS = 30_000;
/** The rate limiter needs about this long after the last 429 to reach its full pace again. */
const LOWERED_PACE_MS = 180_000;

/**
 * How a read gets on: one live line on a terminal, else a LOG message every half minute. Lines on a standard error
 * that is no terminal would be shown as errors by the platform.
 */
export function createProgress(clock: Clock, screen: Screen | undefined): Progress {
  const isLive = screen?.hasLiveLine === true;
  const everyMs = isLive ? DRAW_EVERY_MS : LOG_EVERY_MS;
  let beginning: Beginning | undefined;
  let beganMs = clock.now();
  let shownMs = 0;
  let pause: Pause | undefined;
  const counts = new Map<StreamName, number>();
  const states = new Map<StreamName, StreamState>();

  /** What matters first comes first, since a narrow terminal cuts the end off. */
  const facts = (): string[] => {
    const { traffic, selection } = beginning!;
    const minutes = Math.max(1, (clock.now() - beganMs) / 60_000);
    const share = shareWalked([...states.values()], selection);
    return [
      ...paceFacts(pause, clock.now()),
      [...counts].map(([name, count]) => `${name} ${count.toLocaleString("en")}`).join(", "),
      ...(share === undefined ? [] : [`${Math.floor(share * 100)} % of the time range`]),
      `${traffic.requests.toLocaleString("en")} requests (${Math.round(traffic.requests / minutes)} a minute)`,
      `${traffic.retries.toLocaleString("en")} retries`,
    ];
  };
  const show = (): string => {
    shownMs = clock.now();
    if (!isLive) return logLine("INFO", `Reading: ${facts().join(" · ")}`);
    screen.draw(facts().join(" · "));
    return "";
  };
  const isDue = (): boolean => clock.now() - shownMs >= everyMs;

  return {
    begin(what) {
      beginning = what;
      beganMs = clock.now();
      shownMs = isLive ? 0 : beganMs;
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
      const seconds = ((clock.now() - beganMs) / 1000).toFixed(1);
      return `${stopped ? "Stopped before the end, after" : "Read in"} ${seconds} s: ${facts().join(" · ")}`;
    },
  };
}

function paceFacts(pause: Pause | undefined, nowMs: number): string[] {
  if (pause === undefined) return [];
  const why = pause.reason === "rate_limited" ? "rate limit reached" : "service unavailable";
  if (pause.untilMs > nowMs) return [`waiting ${Math.ceil((pause.untilMs - nowMs) / 1000)} s (${why})`];
  const isLowered = pause.reason === "rate_limited" && nowMs - pause.untilMs < LOWERED_PACE_MS;
  return isLowered ? ["slower for a while (rate limit reached)"] : [];
}
