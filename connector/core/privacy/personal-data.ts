/** The kinds of personal data that can be kept, hashed or omitted, by the names that users see in the configuration. */
export const PERSONAL_DATA_KINDS = [
  "contact_fields",
  "free_text",
  "answer_labels",
  "attribute_values",
  "url_query",
  "respondent_identifiers",
] as const;

export type PersonalDataKind = (typeof PERSONAL_DATA_KINDS)[number];

/** `hash`: a keyed hash instead of the value. `omit`: null instead of the value. */
export type Handling = "keep" | "hash" | "omit";

/** What happens to a response's URL: `host_only` omits the rest of it. With `keep`, the kind `url_query` says what becomes of the query. */
export type UrlHandling = "keep" | "host_only" | "omit";

/** What happens to each kind. A kind that is not named is kept. */
export type PersonalDataSetting = Readonly<
  Partial<Record<PersonalDataKind, Handling>> & { url?: UrlHandling }
>;

/**
 * A keyed hash of a text, the same for the same text in every run and every adapter: HMAC-SHA-256 in hexadecimal. The
 * host has the key; the core never sees it.
 */
export type Hash = (text: string) => string;

/** Characters. With a list of addresses, people find what was hashed with a shorter salt by trying out salts. */
export const SHORTEST_SALT = 16;

/**
 * The salt of the hashes without the white space around it, since a pasted line end would change every hash. `isWeak`:
 * it is too short.
 */
export function parseSalt(text: string): { readonly salt: string; readonly isWeak: boolean } {
  const salt = text.trim();
  return { salt, isWeak: [...salt].length < SHORTEST_SALT };
}

/**
 * What a column of a stream holds. Each column says it.
 *
 * - `plain`: nothing that a respondent typed or chose, and nothing that names them. Its value is the reason, in words.
 *   Only a string, a number or a boolean passes; anything else is not what we know. With `fields`, so do the fields with
 *   these names of an object, and lists of what passes.
 * - a kind of personal data. `url`: a response's URL, its query included.
 * - `answer choices`: a list of what can be chosen. An id leads from an answer there, so its texts follow `answer_labels`.
 * - `attribute id`: never null. A number made of the record's `name` takes the place of one that might be personal.
 * - `answers`: the service's list of answers. `attributes`: a list of names and values.
 * - `part of an answer`: a column of an answer's row, by its name (`AnswerColumn`). It depends on the `answer_type`.
 * - `unknown`: fields that this version does not know. They are omitted as soon as one kind is treated.
 */
export type ColumnContent =
  | { readonly plain: string; readonly fields?: readonly string[] }
  | Exclude<PersonalDataKind, "url_query">
  | "url"
  | "answer choices"
  | "attribute id"
  | "answers"
  | "attributes"
  | "part of an answer"
  | "unknown";

/** The columns of a stream, as far as their treatment needs them. */
export type ColumnContents = Readonly<Record<string, { readonly holds: ColumnContent }>>;

/** The setting as a text for the state, without the salt; undefined if everything is kept. */
export function fingerprintOf(setting: PersonalDataSetting): string | undefined {
  const treated = [...PERSONAL_DATA_KINDS, "url" as const].filter(
    (kind) => (setting[kind] ?? "keep") !== "keep",
  );
  return treated.length === 0 ? undefined : treated.map((kind) => `${kind}=${setting[kind]}`).join(" ");
}
