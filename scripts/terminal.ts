const BAR_WIDTH = 40;
/** Back to the start of the line, and clear it. */
const REDRAW = "\r\x1b[2K";

/** A number as people read it: 1,234. */
export const counted = (count: number): string => count.toLocaleString("en-US");

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

/** Writes lines, and bars that grow. */
export class Terminal {
  readonly #isLive: boolean;
  readonly #write: (text: string) => void;
  /** The bar that grows now, and how much of it is filled. */
  #bar: { readonly text: string; readonly filled: number } | undefined;

  /** @param isLive whether a line may be drawn again; otherwise only the last state of a bar is written */
  constructor(isLive: boolean, write: (text: string) => void) {
    this.#isLive = isLive;
    this.#write = write;
  }

  say(text: string): void {
    if (this.#bar !== undefined) this.#write(this.#isLive ? "\n" : `${this.#bar.text}\n`);
    this.#bar = undefined;
    this.#write(`${text}\n`);
  }

  /** Draws the bar, which stays in its line until the next `say`. */
  bar(done: number, all: number): void {
    const filled = Math.floor((BAR_WIDTH * done) / all);
    if (filled === this.#bar?.filled) return;
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const percent = String(Math.floor((100 * done) / all)).padStart(3);
    this.#bar = { text: `   ${bar} ${percent} %  ${counted(done)} rows`, filled };
    if (this.#isLive) this.#write(`${REDRAW}${this.#bar.text}`);
  }
}
