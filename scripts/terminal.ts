/** How a line looks in the picture. What it says is in its words, too. */
export type Look = "heading" | "command" | "good" | "bad" | "bar";

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

const NPS_WIDTH = 30;
const NAME_WIDTH = 51;

/** The NPS of a question as a line: its name, the score from -100 to 100, a bar, and how many answers it is made of. */
export function npsLine(of: {
  name: string;
  answers: number;
  promoters: number;
  detractors: number;
}): string {
  const { name, answers, promoters, detractors } = of;
  const score = Math.round((100 * (promoters - detractors)) / answers);
  const unhappy = Math.round((NPS_WIDTH * detractors) / answers);
  const happy = Math.min(Math.round((NPS_WIDTH * promoters) / answers), NPS_WIDTH - unhappy);
  const bar = "░".repeat(unhappy) + "▒".repeat(NPS_WIDTH - unhappy - happy) + "█".repeat(happy);
  const signed = `${score > 0 ? "+" : ""}${score}`.padStart(4);
  return `${name.padEnd(NAME_WIDTH)}  ${signed}  ${bar}  ${answers} ${answers === 1 ? "answer" : "answers"}`;
}

/** Writes lines and bars that grow, and keeps what was to be seen when. */
export class Terminal {
  readonly lines: Line[] = [];
  readonly #beganMs = performance.now();
  readonly #isLive: boolean;
  readonly #write: (text: string) => void;
  #row = 0;
  /** The bar that grows now, and how much of it is filled. */
  #bar: (Line & { readonly filled: number }) | undefined;

  /** @param isLive whether a line may be drawn again; otherwise only the last state of a bar is written */
  constructor(isLive: boolean, write: (text: string) => void) {
    this.#isLive = isLive;
    this.#write = write;
  }

  say(text: string, look?: Look): void {
    if (this.#bar !== undefined) {
      this.#write(this.#isLive ? "\n" : `${this.#bar.text}\n`);
      this.#bar = undefined;
      this.#row += 1;
    }
    for (const line of text.split("\n")) {
      this.lines.push(this.#line(line, look));
      this.#row += 1;
    }
    this.#write(`${text}\n`);
  }

  /** Draws the bar, which stays in its line until the next `say`. */
  bar(done: number, all: number): void {
    const filled = Math.floor((BAR_WIDTH * done) / all);
    if (filled === this.#bar?.filled) return;
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const percent = String(Math.floor((100 * done) / all)).padStart(3);
    const line = this.#line(`   ${bar} ${percent} %  ${counted(done)} rows`, "bar");
    if (this.#bar !== undefined) this.#bar.untilMs = line.fromMs;
    this.#bar = { ...line, filled };
    this.lines.push(this.#bar);
    if (this.#isLive) this.#write(`${REDRAW}${line.text}`);
  }

  #line(text: string, look: Look | undefined): Line {
    return { row: this.#row, text, look, fromMs: performance.now() - this.#beganMs };
  }
}

const [COLUMN, ROW, MARGIN, TOP] = [7.83, 19, 18, 34];
/** How long the last screen stays before the picture starts again. */
const LAST_MS = 8_000;

const STYLE = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6dde4;white-space:pre}
.heading{fill:#fff;font-weight:bold}.command,.bar{fill:#7cb7ff}.good{fill:#6fcf97}.bad{fill:#ff8f87}`;

/**
 * What a terminal showed as an animated SVG that repeats without end. Who wants less motion sees the last screen, and
 * so does a program that knows no animations.
 */
export function animated(lines: readonly Line[]): string {
  const allMs = Math.max(...lines.map(({ fromMs }) => fromMs)) + LAST_MS;
  const width = Math.ceil(2 * MARGIN + COLUMN * Math.max(...lines.map(({ text }) => text.length)));
  const height = TOP + MARGIN + ROW * (1 + Math.max(...lines.map(({ row }) => row)));
  const share = (ms: number): string => `${Math.round((10_000 * ms) / allMs) / 100}%`;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, place) => `<circle cx="${20 + 18 * place}" cy="18" r="5.5" fill="${fill}"/>`,
  );
  const texts = lines
    // Without empty lines, and bars that the next one replaced at once.
    .filter(({ text, fromMs, untilMs = allMs }) => text !== "" && share(fromMs) !== share(untilMs))
    .map(({ row, text, look = "", fromMs, untilMs }, place) => {
      const isGone = untilMs !== undefined;
      const end = isGone ? `${share(untilMs)}{opacity:0}` : "";
      const frames = `<style>@keyframes k${place}{0%{opacity:0}${share(fromMs)}{opacity:1}${end}}</style>`;
      const style = `${isGone ? "opacity:0;" : ""}animation-name:k${place}`;
      return `${frames}<text x="${MARGIN}" y="${TOP + ROW * (row + 1)}" class="${look}" style="${style}">${escaped(text)}</text>`;
    });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve" role="img" aria-label="A terminal: the program is killed halfway, resumes, and nothing is missing.">
<style>${STYLE}
@media (prefers-reduced-motion:no-preference){text{animation:${Math.round(allMs)}ms step-end infinite}}</style>
<rect width="${width}" height="${height}" rx="9" fill="#12181f"/>
${[...dots, ...texts].join("\n")}
</svg>
`;
}
