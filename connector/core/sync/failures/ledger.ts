import { wasAskedToWait } from "../../client/retry-policy.ts";
import type { Timestamp } from "../../coverage/timestamp.ts";
import type { SurveyExportError } from "../../errors.ts";
import type { Clock, Log } from "../../ports.ts";
import { counted, say } from "../../text/message.ts";

/** What can fail of what a sync reads of surveys. `record`: the survey itself, asked for by its id. */
export type Part = "list of surveys" | "responses" | "record" | "questions";

/** A list that could not be read, or not to its end. */
export interface Note {
  readonly part: Part;
  /** Undefined for the list of surveys. */
  readonly surveyId: string | undefined;
  /** The streams that lack it. */
  readonly streams: readonly string[];
  /** Why. */
  readonly error: SurveyExportError;
  /** Everything newer was delivered. Undefined if nothing of the list came. */
  readonly below?: Timestamp | undefined;
  /** It was asked for again already. */
  readonly isFinal?: boolean;
}

/** A list contradicts itself, for example in its order. To ask again would show the same. */
export interface Problem {
  readonly surveyId: string | undefined;
  readonly streams: readonly string[];
  readonly error: SurveyExportError;
}

/** A refused key may be the mistake of one reply. So many lists in a row that it is refused for are a verdict. */
const MOST_REFUSALS = 5;

/** Failures of requests are alike if they have this in common. */
export const reasonOf = ({ code, kind, status = 0 }: SurveyExportError): string =>
  `${code} ${kind} ${status}`;

export interface LedgerListeners {
  /** A list failed: that of a survey, or another one. */
  readonly onFailed: (error: SurveyExportError, surveyId: string | undefined) => void;
  /** The sync ends early. */
  readonly onEnd: () => void;
}

/**
 * The failures of a sync. While the sync reads, they are only noted: `judge` says at its end what they mean. Two things end a
 * sync before that: silence of the service, and a key that it refuses.
 */
export class Ledger {
  /** What ends the sync early. */
  end: SurveyExportError | undefined;
  readonly #notes = new Map<string, Note>();
  readonly #problems = new Map<string, Problem>();
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners: LedgerListeners;
  /** Whether what failed is asked for once more. */
  readonly #asksAgain: boolean;
  /** How many pages came, and how many had come when the first list failed. */
  #pages = 0;
  #pagesBeforeFirst: number | undefined;
  /** How many pages had come when a list failed, by its key. */
  readonly #pagesBefore = new Map<string, number>();
  #failures = 0;
  #recovered = 0;
  /** The first error of each reason for which lists failed. */
  readonly #errors = new Map<string, SurveyExportError>();
  #lastMs = 0;
  /** Since the last page. */
  #refusals = 0;

  constructor(clock: Clock, log: Log, asksAgain: boolean, listeners: LedgerListeners) {
    this.#clock = clock;
    this.#log = log;
    this.#asksAgain = asksAgain;
    this.#listeners = listeners;
  }

  /** All that failed so far, and did not succeed later. */
  get notes(): readonly Note[] {
    return [...this.#notes.values()];
  }

  /** Those after which a page came from anywhere: they failed by themselves, however the sync ended. */
  get ownNotes(): readonly Note[] {
    return [...this.#notes]
      .filter(([key]) => this.#pages > (this.#pagesBefore.get(key) ?? 0))
      .map(([, note]) => note);
  }

  /** A page came, from anywhere. */
  pageCame(): void {
    this.#pages++;
    this.#refusals = 0;
  }

  /** A list failed, after all its attempts. If it fails twice for the same reason, the first error says more about it. */
  note(note: Note): void {
    const key = keyOf(note);
    const before = this.#notes.get(key)?.error;
    const isSame = before !== undefined && reasonOf(before) === reasonOf(note.error);
    this.#notes.set(key, isSame ? { ...note, error: before } : note);
    this.#pagesBefore.set(key, this.#pages);
    if (!note.isFinal) this.failed(note.error, note.surveyId);
  }

  /** The same of a list that somebody else keeps an account of: a respondent's. */
  failed(error: SurveyExportError, surveyId?: string): void {
    // Thousands of respondents' lists may fail alike.
    if (surveyId !== undefined || !this.#errors.has(reasonOf(error)))
      this.#listeners.onFailed(error, surveyId);
    if (canBeAskedAgain(error)) {
      this.#failures++;
      this.#lastMs = this.#clock.monotonicMs();
      this.#pagesBeforeFirst ??= this.#pages;
      this.#remember(error);
    }
    if (error.scope !== "run") return;
    const isRefusal = error.kind === "config";
    if (isRefusal) this.#refusals++;
    if (!isRefusal || this.#refusals >= MOST_REFUSALS) this.endWith(error);
  }

  /** A list that had failed was read to its end. */
  succeeded(part: Part, surveyId?: string): void {
    if (this.#notes.delete(keyOf({ part, surveyId }))) this.recovered();
  }

  noteOf(part: Part, surveyId?: string): Note | undefined {
    return this.#notes.get(keyOf({ part, surveyId }));
  }

  /** Whether a list may be asked for in the second look: it has not failed, or in a way that may pass. */
  mayBeAskedFor(part: Part, surveyId: string): boolean {
    const note = this.noteOf(part, surveyId);
    return note === undefined || canBeAskedAgain(note.error);
  }

  /** Whether something of the survey is missing in the stream. */
  lacks(stream: string, surveyId: string): boolean {
    return [...this.notes, ...this.problems].some(
      (each) => each.surveyId === surveyId && each.streams.includes(stream),
    );
  }

  /** A page of a survey contradicts itself or what was requested. Many pages may do so in the same way. */
  problem(problem: Problem): void {
    const key = `${problem.surveyId} ${problem.streams} ${reasonOf(problem.error)}`;
    if (!this.#problems.has(key)) this.#problems.set(key, problem);
  }

  get problems(): readonly Problem[] {
    return [...this.#problems.values()];
  }

  /** Ends the sync early. The first reason counts. */
  endWith(error: SurveyExportError): void {
    if (this.end) return;
    this.end = error;
    this.#listeners.onEnd();
  }

  /** Whether a list failed that may succeed if it is asked for once more. */
  get isSecondLookDue(): boolean {
    return this.#asksAgain && this.end === undefined && this.#failures > 0;
  }

  /** How many lists failed that may succeed; and when the last one did, by the monotonic clock. */
  get failures(): { readonly count: number; readonly lastMs: number } {
    return { count: this.#failures, lastMs: this.#lastMs };
  }

  /** Whether no page came from anywhere since the first list failed. */
  get isUnanswered(): boolean {
    return this.#pagesBeforeFirst === this.#pages;
  }

  /** One error of each reason for which lists failed. */
  get errors(): readonly SurveyExportError[] {
    return [...this.#errors.values()];
  }

  /** A list that had failed was read. */
  recovered(): void {
    this.#recovered++;
  }

  tellRecovered(): void {
    if (this.#recovered === 0) return;
    const lists = counted(this.#recovered, say`list that had failed was`, say`lists that had failed were`);
    this.#log("info", say`${lists} read when asked for once more.`);
  }

  #remember(error: SurveyExportError): void {
    const reason = reasonOf(error);
    if (this.#errors.has(reason)) return;
    this.#errors.set(reason, error);
    // One that is every list's is asked for again only to see that.
    if (!this.#asksAgain || error.scope === "run") return;
    this.#log(
      "info",
      say`${error.facts} What fails in this way is asked for once more at the end of the sync.`,
    );
  }
}

/** Whether a list that failed may be asked for once more. One that was asked to wait (429, 503) was asked for long enough. */
export const canBeAskedAgain = (error: SurveyExportError): boolean =>
  !wasAskedToWait(error) && error.code !== "invalid_configuration";

const keyOf = ({ part, surveyId = "" }: Pick<Note, "part" | "surveyId">): string => `${part} ${surveyId}`;
