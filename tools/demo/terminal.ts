/** How a line looks in the picture. What it says is in its words, too. */
export type Look = "heading" | "command" | "good" | "bad";

/** A line of the terminal as it stood for a while. */
export interface Line {
  readonly row: number;
  readonly text: string;
  readonly look: Look | undefined;
  readonly fromMs: number;
  /** Undefined: until the end. */
  untilMs?: number;
}

const BAR_WIDTH = 40;
const DRAW_EVERY_MS = 200;
/** Back to the start of the line, and clear it. */
const REDRAW = "\r\x1b[2K";

/** A number as people read it: 1,234. */
export const counted = (count: number): string => count.toLocaleString("en-US");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML or as an attribute in quotes: no character of it means anything. */
export const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (one) => ENTITIES[one]!);

/** Writes lines and bars that grow, and keeps what was to be seen when. */
export class Terminal {
  readonly lines: Line[] = [];
  readonly #beganMs = performance.now();
  readonly #isLive: boolean;
  readonly #write: (text: string) => void;
  #row = 0;
  #bar = "";
  /** The last line of a bar that grows now. */
  #drawn: Line | undefined;

  /** @param isLive whether a line may be drawn again; otherwise only the last state of a bar is written */
  constructor(isLive: boolean, write: (text: string) => void) {
    this.#isLive = isLive;
    this.#write = write;
  }

  say(text: string, look?: Look): void {
    this.#endBar();
    for (const line of text.split("\n")) {
      this.#show(line, look);
      this.#row += 1;
    }
    this.#write(`${text}\n`);
  }

  /** Draws the bar, which stays in its line until the next `say`. */
  bar(done: number, all: number): void {
    const filled = Math.floor((BAR_WIDTH * done) / all);
    const percent = String(Math.floor((100 * done) / all)).padStart(3);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    this.#bar = `   ${bar} ${percent} %  ${counted(done)} records`;
    const isSoon = this.#drawn !== undefined && this.#elapsedMs() - this.#drawn.fromMs < DRAW_EVERY_MS;
    if (!isSoon) this.#draw();
  }

  #draw(): void {
    if (this.#drawn !== undefined) this.#drawn.untilMs = this.#elapsedMs();
    this.#drawn = this.#show(this.#bar);
    if (this.#isLive) this.#write(`${REDRAW}${this.#bar}`);
  }

  #endBar(): void {
    if (this.#drawn === undefined) return;
    this.#draw();
    this.#write(this.#isLive ? "\n" : `${this.#bar}\n`);
    this.#drawn = undefined;
    this.#row += 1;
  }

  #elapsedMs(): number {
    return performance.now() - this.#beganMs;
  }

  #show(text: string, look?: Look): Line {
    const line: Line = { row: this.#row, text, look, fromMs: this.#elapsedMs() };
    this.lines.push(line);
    return line;
  }
}

const [COLUMN, ROW, MARGIN, TOP] = [7.83, 19, 18, 34];
/** How long the last screen stays before the picture starts again. */
const LAST_MS = 8_000;

const STYLE = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6dde4;white-space:pre}
.heading{fill:#fff;font-weight:bold}.command,.full{fill:#7cb7ff}.good{fill:#6fcf97}.bad{fill:#ff8f87}.empty{fill:#3b4854}.gone{opacity:0}`;

/**
 * What a terminal showed as an animated SVG that repeats without end. Who wants less motion sees the last screen, and
 * so does a program that knows no animations.
 */
export function animated(lines: readonly Line[]): string {
  const allMs = Math.max(...lines.map(({ fromMs }) => fromMs)) + LAST_MS;
  const width = Math.ceil(2 * MARGIN + COLUMN * Math.max(...lines.map(({ text }) => text.length)));
  const height = TOP + MARGIN + ROW * (1 + Math.max(...lines.map(({ row }) => row)));
  const share = (ms: number): string => `${Math.round((10_000 * ms) / allMs) / 100}%{opacity:`;
  /** The name of each animation. Lines that come and go together have one. */
  const names = new Map<string, string>();
  const texts = lines
    .filter(({ text }) => text !== "")
    .map(({ row, text, look = "", fromMs, untilMs }) => {
      const end = untilMs === undefined ? "" : `${share(untilMs)}0}`;
      const frames = `0%{opacity:0}${share(fromMs)}1}${end}`;
      if (!names.has(frames)) names.set(frames, `k${names.size}`);
      const looks = `t ${names.get(frames)}${end === "" ? "" : " gone"} ${look}`.trim();
      return `<text x="${MARGIN}" y="${TOP + ROW * (row + 1)}" class="${looks}">${withBar(text)}</text>`;
    });
  const keyframes = [...names].map(
    ([frames, name]) => `@keyframes ${name}{${frames}}.${name}{animation-name:${name}}`,
  );
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, place) => `<circle cx="${20 + 18 * place}" cy="18" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve" role="img" aria-label="A terminal: the program is killed halfway, resumes, and nothing is missing.">
<style>${STYLE}
@media (prefers-reduced-motion:no-preference){
.t{animation:${Math.round(allMs)}ms step-end infinite}
${keyframes.join("\n")}
}</style>
<rect width="${width}" height="${height}" rx="9" fill="#12181f"/>
${[...dots, ...texts].join("\n")}
</svg>
`;
}

/** A line as markup. The full part of a bar has another colour than the empty one. */
function withBar(line: string): string {
  const [, full, empty, after] = /^ +(█*)(░+|(?<=█))( .*%.*)$/.exec(line) ?? [];
  if (after === undefined) return escaped(line);
  return `   <tspan class="full">${full}</tspan><tspan class="empty">${empty}</tspan>${escaped(after)}`;
}
