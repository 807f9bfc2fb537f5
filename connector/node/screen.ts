import { clearLine, cursorTo } from "node:readline";
import type { WriteStream } from "node:tty";

/** Standard error as people see it: whole lines, and on a terminal one live line below them. */
export interface Screen {
  /** Writes a line above the live line. */
  print(line: string): void;
  /** Replaces the live line, cut to the terminal's width; the empty string removes it. Nothing without a terminal. */
  draw(line: string): void;
  readonly hasLiveLine: boolean;
}

const COLUMNS = 80;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** `dates`: whether each line begins with the time (UTC) if nobody watches: cron and files have no other. */
export function createScreen(stream: NodeJS.WriteStream | WriteStream, dates = false): Screen {
  const terminal = stream.isTTY ? stream : undefined;
  let live = "";
  stream.on("error", () => {}); // nobody reads it any more
  const clear = (): void => {
    if (terminal === undefined) return;
    cursorTo(terminal, 0);
    clearLine(terminal, 0);
  };
  const draw = (line: string): void => {
    if (terminal === undefined || (line === "" && live === "")) return;
    clear();
    live = line;
    terminal.write(fitting(line, (terminal.columns || COLUMNS) - 1));
  };
  return {
    hasLiveLine: terminal !== undefined,
    draw,
    print(line) {
      if (live !== "") clear();
      const time = dates && terminal === undefined ? `${new Date().toISOString().slice(0, 19)}Z ` : "";
      stream.write(`${time}${line.replace(INVISIBLE, " ")}\n`);
      if (live !== "") draw(live);
    },
  };
}

/** The start of a line that takes at most `columns`. Some terminals show each character beyond ASCII two columns wide. */
export function fitting(line: string, columns: number): string {
  const widthOf = (text: string): number =>
    [...text].reduce((width, character) => width + (character <= "~" ? 1 : 2), 0);
  if (widthOf(line) <= columns) return line;
  const kept: string[] = [];
  let width = 0;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns - 3) break;
    kept.push(character);
  }
  return columns < 3 ? "" : `${kept.join("")}...`;
}
