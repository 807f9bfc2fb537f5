import { isUuid } from "../text/uuid.ts";
import type { Handling, Hash, PersonalDataKind, PersonalDataSetting } from "./personal-data.ts";

/**
 * Only what can hardly be anything else: the letters of a link or a query may differ in meaning by their case. Addresses
 * with rarer characters are hashed as they are.
 */
const EMAIL = /^[\p{L}\p{M}\p{N}._%+'-]+@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+$/u;
/** The start of a web address: its scheme, a user name that is omitted, and its host with the port. */
const WEB_ADDRESS =
  /^(https?:\/\/)(?:[^/?#\\@]*@)?((?:[\p{L}\p{M}\p{N}._-]+|\[[\da-f:.]+\])(?::\d+)?)(?=[/?#;&]|$)/iu;
/** Where a query or a fragment begins, also if it was encoded, once or several times. Some servers take `;` and `&` for `?`. */
const QUERY_MARK = /[?#;&]|%(?:25)*(?:3f|23|3b|26)/i;
/** Hashes that are remembered. Answers, attributes and respondents repeat, and a hash costs microseconds. */
const MOST_REMEMBERED = 10_000;
/** Longer texts hardly repeat. */
const LONGEST_REMEMBERED = 200;

/** A recommendation score, which is not personal data. Other digits might be a telephone number. */
export const isScore = (value: unknown): boolean =>
  typeof value !== "object" && /^\s*(?:\d|10)\s*$/.test(String(value));

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "";

/** The scheme and the host. */
const originOf = ([, scheme, host]: RegExpExecArray): string => `${scheme}${host}`;

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

  /**
   * Null, undefined and the empty string stay as they are. A list or an object is omitted, of a kind that is kept as
   * well: nobody knows what it holds.
   */
  treat(kind: PersonalDataKind, value: unknown): unknown {
    const handling = this.handlingOf(kind);
    if (isNothing(value)) return value;
    if (handling === "omit" || typeof value === "object") return null;
    if (handling === "keep") return value;
    return this.hash(String(value));
  }

  /**
   * A response's URL. With `url_query` treated, it has no user name; of what follows its path, nothing or the hash
   * remains. Anything but http or https and a host is treated as a whole, so no other way to write a URL matters.
   */
  treatUrl(value: unknown): unknown {
    if (isNothing(value)) return value;
    const { url = "keep", url_query: query = "keep" } = this.#setting;
    if (url === "omit") return null;
    const start = typeof value === "string" ? WEB_ADDRESS.exec(value) : null;
    if (url === "host_only") return start && originOf(start);
    if (start === null || query === "keep") return this.treat("url_query", value);
    const rest = start.input.slice(start[0].length);
    const mark = QUERY_MARK.exec(rest);
    if (mark === null) return originOf(start) + rest;
    const address = originOf(start) + rest.slice(0, mark.index);
    const after = rest.slice(mark.index + mark[0].length);
    return after === "" || query === "omit" ? address : `${address}?${this.hash(after)}`;
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
