import { quote, startOf } from "./quote.ts";
import type { Redactor } from "./redactor.ts";
import { isUuid } from "./uuid.ts";

/**
 * A piece of a message, by where its text comes from:
 *
 * - `words`: our own. They are written as they are.
 * - `platform`: words of the platform that runs us, such as n8n's own errors. They are not quoted.
 * - `given`: the user's own, such as the id of a configured survey, the path of a file or a field of the configuration.
 * - `respondent`, `response`: the id of one.
 * - `outside`: a text that the service or another program sent.
 * - `request`: the path of a request.
 */
export interface Part {
  readonly kind: "words" | "platform" | "request" | Quoted;
  readonly text: string;
  readonly maxLength?: number | undefined;
}

type Quoted = "given" | "respondent" | "response" | "outside";

/**
 * What people read: an error's facts, its advice, a warning, a line of the log. It is a list of parts, so that personal
 * data and the key are taken out by part, whatever the sentence around it says. Only `render` makes a text of it.
 */
export class Message {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  /** @throws always: a text of it that nobody rendered could show a key or personal data */
  toString(): never {
    throw new TypeError("A message is rendered, never converted to a text.");
  }
}

/** What a template of `say` may contain. A plain string may not: nobody would know where it comes from. */
type Piece = Message | Part | number;

/** A message of our own words, and the parts between them: `` say`Survey ${given(id)} was not found.` `` */
export function say(words: TemplateStringsArray, ...pieces: readonly Piece[]): Message {
  const parts: Part[] = [];
  for (const [at, text] of words.entries()) {
    if (text !== "") parts.push({ kind: "words", text });
    const piece = pieces[at];
    if (piece instanceof Message) parts.push(...piece.parts);
    else if (typeof piece === "number") parts.push(fixed(grouped(piece)));
    else if (piece !== undefined) parts.push(piece);
  }
  return new Message(parts);
}

/** 1234567.5 as 1,234,567.5. `toLocaleString` would load ICU, and each start would wait for it. */
const grouped = (count: number): string =>
  String(Math.round(count * 1000) / 1000).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ",");

export const NOTHING_TO_SAY = new Message([]);

/** The messages as one, with `between` between them. Empty ones are skipped. */
export function joined(messages: readonly Message[], between = " "): Message {
  const parts = messages
    .filter(({ parts: own }) => own.length > 0)
    .flatMap(({ parts: own }, at) => (at === 0 ? own : [fixed(between), ...own]));
  return new Message(parts);
}

/** Words of ours that are known only when the program runs: the name of a stream, of a setting, of a variable. */
export const fixed = (text: string): Part => ({ kind: "words", text });

/** Words of the platform that runs us, as they are. */
export const platform = (text: string): Part => ({ kind: "platform", text });

/** In quotation marks: what the user wrote. */
export const given = (text: string): Part => ({
  kind: "given",
  text: startOf(text),
  maxLength: LONGEST_GIVEN,
});

/** In quotation marks: a respondent's id. */
export const respondentId = (id: string): Part => ({ kind: "respondent", text: startOf(id) });

/** In quotation marks: a response's UUID. */
export const responseId = (uuid: string): Part => ({ kind: "response", text: startOf(uuid) });

/** In quotation marks: a text that the service or another program sent, on one line. */
export const outside = (text: string, maxLength?: number): Part => ({
  kind: "outside",
  text: startOf(text).replace(/\s+/g, " ").trim(),
  maxLength,
});

/** `GET` and the path of a request, which may be a link of the service. */
export const request = (path: string): Part => ({ kind: "request", text: startOf(path) });

/** A timestamp that was read as one. Anything else counts as text from outside. */
export const time = (timestamp: string): Part =>
  /^[\d:.TZ-]+$/.test(timestamp) ? fixed(timestamp) : outside(timestamp);

/** The time of day at `ms` (epoch milliseconds). */
export const timeOfDay = (ms: number): Part => fixed(`${new Date(ms).toISOString().slice(11, 19)} UTC`);

/** Parts with commas between them: the first of them, and how many more there are. */
export function listed(parts: readonly Part[], most = 20): Message {
  const more = parts.length - most;
  const shown = joined(
    parts.slice(0, most).map((part) => say`${part}`),
    ", ",
  );
  return more > 0 ? say`${shown} and ${more} more` : shown;
}

/** The message, with the code of a warning at its end: people look for the code, whatever the sentence says. */
export const withCode = (message: Message, code: string | undefined): Message =>
  code === undefined ? message : say`${message} [${fixed(code)}]`;

/** `1 page`, `2 pages`. */
export const counted = (count: number, one: Message, several: Message): Message =>
  count === 1 ? say`1 ${one}` : say`${count} ${several}`;

/** How the parts of a message are shown. */
export interface Rendering {
  /** Blanks the key in everything that is not our own words. */
  readonly redact?: Redactor | undefined;
  /** Set when personal data is treated: text from outside is omitted, and respondents are named as this says. */
  readonly treatment?: MessageTreatment | undefined;
}

export interface MessageTreatment {
  /** A respondent's id as records show it; undefined if it may not be shown. */
  respondentId(id: string): string | undefined;
}

/** The message as text, on one line. */
export function render(message: Message, rendering: Rendering = {}): string {
  return message.parts.map((part) => renderPart(part, rendering)).join("");
}

const HIDDEN = "…";
const LONGEST_GIVEN = 300;
/** The longest path that is shown, in characters. */
const LONGEST_PATH = 300;

function renderPart(part: Part, { redact = (text) => text, treatment }: Rendering): string {
  switch (part.kind) {
    case "words":
      return part.text;
    case "platform":
      return redact(part.text);
    case "request":
      return `GET ${treatment ? treatedPath(redact(part.text), treatment) : shownPath(redact(part.text))}`;
    default: {
      const shown = treatment ? treatedText(part.kind, part.text, treatment) : part.text;
      return shown === undefined ? `"${HIDDEN}"` : quote(redact(shown), part.maxLength);
    }
  }
}

function treatedText(kind: Quoted, text: string, treatment: MessageTreatment): string | undefined {
  if (kind === "given") return text;
  if (kind === "respondent") return isUuid(text) ? treatment.respondentId(text) : undefined;
  return kind === "response" && isUuid(text) ? text : undefined;
}

/** The path as one word without parentheses and quotation marks, so that nothing in it looks like a part of a sentence. */
function shownPath(path: string): string {
  const word = path.toWellFormed().replace(/[^\x21-\x7e]|["()]/gu, percentEncoded);
  return word.length > LONGEST_PATH ? `${word.slice(0, LONGEST_PATH)}…` : word;
}

/** `encodeURIComponent` does not encode parentheses. */
const percentEncoded = (character: string): string =>
  character === "(" ? "%28" : character === ")" ? "%29" : encodeURIComponent(character);

const LIST = /^\/(surveys|respondents)\/([^/?]+)\/(responses|attributes)(\?)?/;

/** The list of a configured survey or of a respondent, without the query, which holds names of attributes. */
function treatedPath(path: string, treatment: MessageTreatment): string {
  const [, of, id = "", what, query] = LIST.exec(path) ?? [];
  if (of === undefined) return `/${HIDDEN}`;
  const shown = of === "surveys" ? id : treatedText("respondent", id, treatment);
  return `/${of}/${shown === undefined ? HIDDEN : shownPath(shown)}/${what}${query === undefined ? "" : `?${HIDDEN}`}`;
}
