import { isUuid } from "../text/uuid.ts";
import type { Handling, Hash, PersonalDataKind, PersonalDataSetting } from "./personal-data.ts";

/**
 * Only what can hardly be anything else: the letters of a link or a query may differ in meaning by their case. Addresses
 * with rarer characters are hashed as they are.
 */
const EMAIL = /^[\p{L}\p{M}\p{N}._%+'-]+@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+$/u;
/** Hashes that are remembered. Answers, attributes and respondents repeat, and a hash costs microseconds. */
const MOST_REMEMBERED = 10_000;
/** Longer texts hardly repeat. */
const LONGEST_REMEMBERED = 200;

/** A recommendation score, which is not personal data. Other digits might be a telephone number. */
export const isScore = (value: unknown): boolean => /^\s*(?:\d|10)\s*$/.test(String(value));

/** Values of each kind as the setting wants them. */
export class ValueTreatment {
  readonly #setting: PersonalDataSetting;
  readonly #hash: Hash;
  readonly #remembered = new Map<string, string>();

  constructor(setting: PersonalDataSetting, hash: Hash) {
    this.#setting = setting;
    this.#hash = hash;
  }

  handlingOf(kind: PersonalDataKind): Handling {
    return this.#setting[kind] ?? "keep";
  }

  /** The one of these kinds that lets the least out. */
  strictest(...kinds: readonly [PersonalDataKind, ...PersonalDataKind[]]): PersonalDataKind {
    const first = (handling: Handling) => kinds.find((kind) => this.handlingOf(kind) === handling);
    return first("omit") ?? first("hash") ?? kinds[0];
  }

  /** Null, undefined and the empty string stay as they are. A list or an object is left out: nobody knows what it holds. */
  treat(kind: PersonalDataKind, value: unknown): unknown {
    const handling = this.handlingOf(kind);
    if (handling === "keep" || value === null || value === undefined || value === "") return value;
    if (handling === "omit" || typeof value === "object") return null;
    return this.hash(String(value));
  }

  /** The address without its credentials, its query and its fragment; with `hash`, the hash of the two after it. */
  treatUrl(value: unknown): unknown {
    if (this.handlingOf("url_query") === "keep" || typeof value !== "string") {
      return this.treat("url_query", value);
    }
    // An encoded mark begins a query as well, for a server that decodes addresses before it splits them.
    const at = value.search(/[?#]|%3f|%23/i);
    const address = (at < 0 ? value : value.slice(0, at)).replace(/^([^/]*\/\/)[^/]*@/, "$1");
    const query = at < 0 ? "" : value.slice(at).replace(/^(?:[?#]|%3f|%23)/i, "");
    if (query === "" || this.handlingOf("url_query") === "omit") return address;
    return `${address}?${this.hash(query)}`;
  }

  /**
   * The hash of a text. An e-mail address and a UUID are hashed in lower case and without the spaces around them; any
   * other text as it is.
   */
  hash(text: string): string {
    if (text.length > LONGEST_REMEMBERED) return this.#hash(normalized(text));
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    const hashed = this.#hash(normalized(text));
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, hashed);
    return hashed;
  }
}

function normalized(text: string): string {
  const trimmed = text.trim();
  return EMAIL.test(trimmed) || isUuid(trimmed) ? trimmed.toLowerCase() : text;
}
