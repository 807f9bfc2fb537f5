import { escaped } from "./picture.ts";

/** Where the demo writes what people read. */
export interface Terminal {
  /** Whether a line may be drawn again. */
  readonly isLive: boolean;
  write(text: string): void;
}

/** Back to the start of the line, and clear it. */
export const REDRAW = "\r\x1b[2K";
const BAR_WIDTH = 40;
const DRAW_EVERY_MS = 50;

/** A bar that grows in place. Without a terminal, only its last state is written. */
export class Bar {
  readonly #terminal: Terminal;
  #last = "";
  #drawnAtMs = -Infinity;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  draw(done: number, all: number): void {
    const filled = Math.floor((BAR_WIDTH * done) / all);
    const percent = String(Math.floor((100 * done) / all)).padStart(3);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    this.#last = `   ${bar} ${percent} %  ${counted(done)} records`;
    const nowMs = performance.now();
    if (!this.#terminal.isLive || nowMs - this.#drawnAtMs < DRAW_EVERY_MS) return;
    this.#drawnAtMs = nowMs;
    this.#terminal.write(`${REDRAW}${this.#last}`);
  }

  end(): void {
    this.#terminal.write(`${this.#terminal.isLive ? REDRAW : ""}${this.#last}\n`);
  }
}

/** A number as people read it: 1,234. */
export const counted = (count: number): string => count.toLocaleString("en-US");

/** A piece of text and when a program wrote it. */
export interface Written {
  readonly atMs: number;
  readonly text: string;
}

/** A line of the screen as it stood for a while. */
interface Shown {
  readonly row: number;
  readonly text: string;
  readonly fromMs: number;
  /** Undefined: until the end. */
  readonly untilMs: number | undefined;
}

const [COLUMN, ROW, MARGIN, BAR] = [7.83, 19, 18, 34];
/** How long the last screen stays before the picture starts again. */
const LAST_MS = 8_000;
/** A bar that is drawn again sooner is skipped. */
const REDRAWN_MS = 230;

/**
 * What a program wrote on a terminal as an animated SVG that repeats without end. Who wants less motion sees the last
 * screen, and so does a program that knows no animations.
 */
export function animated(written: readonly Written[]): string {
  const lines = linesOf(written);
  const allMs = Math.max(...lines.map(({ fromMs }) => fromMs)) + LAST_MS;
  const width = Math.ceil(2 * MARGIN + COLUMN * Math.max(...lines.map(({ text }) => text.length)));
  const height = BAR + MARGIN + ROW * (1 + Math.max(...lines.map(({ row }) => row)));
  const share = (ms: number): string => `${Math.round((10_000 * ms) / allMs) / 100}%`;
  // Lines that come and go together have one rule.
  const rules = new Map<string, string>();
  const texts = lines
    .filter(({ text }) => text !== "")
    .map(({ row, text, fromMs, untilMs }) => {
      const on = `${share(fromMs)}{opacity:1}`;
      const off = untilMs === undefined ? "" : `${share(untilMs)}{opacity:0}`;
      const rule = fromMs === 0 && off === "" ? "" : `0%{opacity:0}${on}${off}`;
      if (!rules.has(rule)) rules.set(rule, `k${rules.size}`);
      const gone = untilMs === undefined ? "" : " g";
      const look = rule === "" ? "" : ` class="t ${rules.get(rule)}${gone}"`;
      return `<text x="${MARGIN}" y="${BAR + ROW * (row + 1)}"${look}>${colored(text)}</text>`;
    });
  return picture(width, height, styleOf(rules, allMs), texts);
}

function styleOf(rules: ReadonlyMap<string, string>, allMs: number): string {
  const moving = [...rules]
    .filter(([rule]) => rule !== "")
    .map(([rule, name]) => `@keyframes ${name}{${rule}}.${name}{animation-name:${name}}`);
  return [
    "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6dde4;white-space:pre}",
    ".b{fill:#fff;font-weight:bold}.c{fill:#7cb7ff}.ok{fill:#6fcf97}.no{fill:#ff8f87}.f{fill:#3b4854}.g{opacity:0}",
    "@media (prefers-reduced-motion:no-preference){",
    `.t{animation-duration:${Math.round(allMs)}ms;animation-iteration-count:infinite;animation-timing-function:step-end}`,
    ...moving,
    "}",
  ].join("\n");
}

const picture = (width: number, height: number, style: string, texts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve" role="img" aria-label="A terminal: the program is killed half way, resumed, and nothing is missing.">`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${height}" rx="9" fill="#12181f"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, place) => `<circle cx="${20 + 18 * place}" cy="18" r="5.5" fill="${fill}"/>`,
    ),
    ...texts,
    "</svg>\n",
  ].join("\n");

/** Each line with the time in which it stood so. A line that was drawn again has one for each drawing. */
function linesOf(written: readonly Written[]): Shown[] {
  const lines: Shown[] = [];
  let [row, line, fromMs] = [0, "", 0];
  const add = (untilMs?: number): void => {
    lines.push({ row, text: line, fromMs, untilMs });
  };
  for (const { atMs, text } of written) {
    const again = text.startsWith(REDRAW);
    const isEnd = text.endsWith("\n");
    if (again && line !== "") {
      if (!isEnd && atMs - fromMs < REDRAWN_MS) continue;
      add(atMs);
      line = "";
    }
    for (const [place, part] of text.replace(REDRAW, "").split("\n").entries()) {
      if (place > 0) {
        add();
        row += 1;
        line = "";
      }
      fromMs = atMs;
      line += part;
    }
  }
  if (line !== "") add();
  return lines;
}

/** A line with the colours that tell its parts apart. What they say stands in words, too. */
function colored(line: string): string {
  const span = (look: string, text: string): string => `<tspan class="${look}">${escaped(text)}</tspan>`;
  if (/^\s*\$ /.test(line)) return span("c", line);
  if (/^\d\. /.test(line) || /^NPS/.test(line)) return span("b", line);
  if (/Killed/.test(line)) return span("no", line);
  if (/^ +0 missing|Done after/.test(line)) return span("ok", line);
  const [, before, bar, empty, after] = /^(.*?)(█+)(░*)(.*)$/.exec(line) ?? [];
  if (bar === undefined || /▒/.test(line)) return escaped(line);
  return `${escaped(before)}${span("c", bar)}${span("f", empty!)}${escaped(after)}`;
}
