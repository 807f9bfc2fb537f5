import { type Client, type ListedPage, type ListedSurvey, listSurveys } from "@survey-export/core";

/** The service's list of surveys, read page by page, and only as far as its caller needs it. */
export class ListReading {
  /** The surveys so far, by id, newest created first. */
  readonly found = new Map<string, ListedSurvey>();
  /** How many pages have come. */
  pages = 0;
  /** Whether it was read to its end. */
  isWhole = false;
  readonly #client: Client;
  #reading: AsyncGenerator<ListedPage, void> | undefined;
  #error: unknown;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Reads on until the caller has enough, or to the end of the list. The signal of the first call holds for all.
   * @throws SurveyExportError if the list cannot be read, also if it could not be read before; the signal's reason
   */
  async readUntil(hasEnough: () => boolean, signal: AbortSignal): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    try {
      while (!this.isWhole && !hasEnough()) {
        this.#reading ??= listSurveys(this.#client, signal);
        const { value: page } = await this.#reading.next();
        if (page === undefined) this.isWhole = true;
        else this.#add(page);
      }
    } catch (thrown) {
      this.#error = thrown;
      throw thrown;
    }
  }

  #add({ surveys }: ListedPage): void {
    this.pages++;
    for (const survey of surveys) this.found.set(survey.id, survey);
  }
}
