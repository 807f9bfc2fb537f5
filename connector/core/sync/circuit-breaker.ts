/** After so many failures in a row, only one respondent of each further page is tried. */
const FAILURES_IN_A_ROW = 15;
/** After so many pages without a success, only one page of so many is tried: by chance, so that all are in the end. */
const [PAGES_IN_VAIN, ONE_PAGE_OF] = [50, 10];

/** Saves requests while the lists of all respondents fail: it is open then, and closes with the first that is read. A 404 is no failure. */
export class CircuitBreaker {
  readonly #random: () => number;
  #failuresInARow = 0;
  #pagesInVain = 0;

  /** `random`: from 0 up to and without 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  get isOpen(): boolean {
    return this.#failuresInARow >= FAILURES_IN_A_ROW;
  }

  failed(): void {
    this.#failuresInARow++;
  }

  succeeded(): void {
    this.#failuresInARow = 0;
    this.#pagesInVain = 0;
  }

  /** The one of a page's `respondents` to try while it is open; undefined if this page tries nobody. */
  chooseOne<Respondent>(respondents: readonly Respondent[]): Respondent | undefined {
    const mayTry = this.#pagesInVain++ < PAGES_IN_VAIN || this.#random() * ONE_PAGE_OF < 1;
    return mayTry ? respondents[Math.floor(this.#random() * respondents.length)] : undefined;
  }
}
