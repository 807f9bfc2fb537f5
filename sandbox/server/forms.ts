/** What a value that came as JSON must look like: a sentence if it does not. `where`: its place, at the beginning of it. */
export type Form = (value: unknown, where: string) => string | undefined;

const form =
  (fits: (value: unknown) => boolean, what: string): Form =>
  (value, where) =>
    fits(value) ? undefined : `${where} is not ${what}.`;

const text = form((value) => typeof value === "string", "a text");
const name = form((value) => typeof value === "string" && value !== "", "a text with at least one character");
const flag = form((value) => typeof value === "boolean", "true or false");
const number = form((value) => typeof value === "number", "a number");
const whole = form(
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 999_999,
  "a whole number from 0 to 999999",
);

const list =
  (entry: Form): Form =>
  (value, where) =>
    Array.isArray(value)
      ? value.map((one, at) => entry(one, `Entry ${at + 1} of ${lower(where)}`)).find(isSentence)
      : `${where} is not a list; send a list, also of one.`;

/** The `required` fields must be there. Others may be omitted, and fields without a form are not looked at. */
const object =
  (fields: Readonly<Record<string, Form>>, ...required: readonly string[]): Form =>
  (value, where) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const names = Object.keys(fields).join(", ");
      return `${where} is not an object${names && `; send one with ${names}`}.`;
    }
    const given = new Map<string, unknown>(Object.entries(value));
    const missing = required.find((field) => !given.has(field));
    if (missing !== undefined) return `${where} has no ${missing}.`;
    const faults = Object.entries(fields).map(([field, has]) =>
      given.has(field) ? has(given.get(field), `${field} of ${lower(where)}`) : undefined,
    );
    return faults.find(isSentence);
  };

const isSentence = (fault: string | undefined): fault is string => fault !== undefined;
const lower = (where: string): string => where.replace(/^(The|Entry)/, (word) => word.toLowerCase());

const SETTINGS: Readonly<Record<string, Form>> = {
  name: text,
  enabled: flag,
  listed: flag,
  launch: object({}),
  questions: list(
    object(
      { id: number, type: text, question: text, answer_choices: list(object({})) },
      ...["id", "type", "question", "answer_choices"],
    ),
  ),
};

const RESPONSE = object(
  {
    collected_at: text,
    uuid: name,
    respondent_uuid: name,
    attributes: list(object({ name: text }, "name")),
    answersShown: number,
    fields: object({}),
  },
  "collected_at",
);
const GENERATED: Readonly<Record<string, Form>> = {
  seed: number,
  count: whole,
  density: text,
  from: text,
  to: text,
  respondents: whole,
};
const RESPONSES: Form = (value, where) =>
  (Array.isArray(value) ? list(RESPONSE) : object(GENERATED, ...Object.keys(GENERATED)))(value, where);

/** What a fault of each kind cannot do without. */
const NEEDED_BY_KIND = new Map<unknown, readonly string[]>([
  ["status", ["status"]],
  ["redirect", ["to"]],
  ["link", ["to"]],
  ["delay", ["ms"]],
  ["date_header", ["offsetMs"]],
  ["cut", ["announcedBy"]],
]);
const status = form((value) => Number.isInteger(value) && /^[2-5]\d\d$/.test(String(value)), "a status");
const REPLY_FIELDS: Readonly<Record<string, Form>> = {
  kind: name,
  status,
  to: text,
  body: text,
  contentType: text,
  retryAfter: number,
  ms: number,
  offsetMs: number,
  bytes: number,
  aheadMs: number,
  drop: list(text),
  set: object({}),
};
const REPLY: Form = (value, where) =>
  typeof value === "string"
    ? undefined
    : object(REPLY_FIELDS, ...(NEEDED_BY_KIND.get(Object(value).kind) ?? []))(value, where);

const NTH: Form = (value, where) => (Array.isArray(value) ? list(number) : number)(value, where);

/** The body of `POST /sandbox/surveys`. */
export const SURVEY = object(
  { id: name, responses: RESPONSES, type: text, created_at: text, fields: object({}), ...SETTINGS },
  ...["id", "responses"],
);
/** The body of `PATCH /sandbox/surveys`. */
export const CHANGE = object(SETTINGS);
/** The body of `POST /sandbox/remove`. */
export const REMOVAL = object({
  responses: list(text),
  respondents: list(text),
  andTheirResponses: flag,
  surveys: list(text),
});
/** The body of `POST /sandbox/faults`. */
export const FAULTS = list(
  object(
    { on: text, reply: REPLY, name: text, nth: NTH, every: number, times: number, toMs: number },
    ...["on", "reply"],
  ),
);
