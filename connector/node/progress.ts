import { clearLine, cursorTo } from "node:readline";
import type { WriteStream } from "node:tty";
import type { Clock, Pause, StreamName, StreamState } from "@survey-export/core";
import { logLine } from "../airbyte/messages.ts";
import type { Beginning, Progress } from "../airbyte/progress.ts";
import { shareWalked } from "./share-walked.ts";

const DRAW_EVERY_MS = 100;
const LOG_EVERY_MS = 30_000;

/**
 * How a read gets on: one live line on a terminal, else a LOG message every half minute. Lines on stderr that is
 * no terminal would be shown as errors by the platform.
 */
export function createProgress(clock: Clock, terminal: WriteStream | undefined): Progress {
  let beginning: Beginning | undefined;
  let beganMs = clock.now();
  let toldMs = 0;
  let pausedUntilMs = 0;
  const counts = new Map<StreamName, number>();
  const states = new Map<StreamName, StreamState>();

  const facts = (): string => {
    const { traffic, configuration } = beginning!;
    const minutes = Math.max(1, (clock.now() - beganMs) / 60_000);
    const share = shareWalked([...states.values()], configuration);
    return [
      [...counts].map(([name, count]) => `${name} ${count.toLocaleString("en")}`).join(", "),
      ...(share === undefined ? [] : [`${Math.floor(share * 100)} % of the time range`]),
      `${traffic.requests.toLocaleString("en")} requests (${Math.round(traffic.requests / minutes)} a minute)`,
      `${traffic.retries} retries`,
      ...(pausedUntilMs > clock.now()
        ? [`waiting ${Math.ceil((pausedUntilMs - clock.now()) / 1000)} s for the service`]
        : []),
    ].join(" · ");
  };

  const tell = (everyMs: number): string => {
    if (clock.now() - toldMs < everyMs) return "";
    toldMs = clock.now();
    if (terminal === undefined) return logLine("INFO", `Reading: ${facts()}`);
    draw(terminal, facts());
    return "";
  };
  const everyMs = terminal === undefined ? LOG_EVERY_MS : DRAW_EVERY_MS;

  return {
    begin(what) {
      beginning = what;
      beganMs = clock.now();
      toldMs = terminal === undefined ? beganMs : 0;
      for (const name of what.streams) counts.set(name, 0);
    },
    records(stream, count, state) {
      counts.set(stream, (counts.get(stream) ?? 0) + count);
      states.set(stream, state);
      return tell(everyMs);
    },
    waiting(pause: Pause | undefined) {
      if (pause) pausedUntilMs = pause.untilMs;
      return tell(terminal === undefined ? everyMs : 0);
    },
    end() {
      if (beginning === undefined) return undefined;
      pausedUntilMs = 0;
      const summary = `Read in ${((clock.now() - beganMs) / 1000).toFixed(1)} s: ${facts()}`;
      if (terminal === undefined) return summary;
      draw(terminal, "");
      terminal.write(`${summary}\n`);
      return undefined;
    },
  };
}

function draw(terminal: WriteStream, text: string): void {
  const width = Math.max(20, terminal.columns ?? 80) - 1;
  cursorTo(terminal, 0);
  clearLine(terminal, 0);
  terminal.write(text.length > width ? `${text.slice(0, width - 1)}…` : text);
}
