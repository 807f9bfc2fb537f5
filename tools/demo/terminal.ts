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
