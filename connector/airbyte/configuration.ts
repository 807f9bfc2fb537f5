import {
  type BaseUrlProblem,
  type ClientOptions,
  fixed,
  given,
  isEverySurveyRead,
  isObject,
  joined,
  listed,
  type Message,
  NOTHING_TO_SAY,
  type Part,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  parseBaseUrl,
  parseSalt,
  parseTimestamp,
  render,
  SHORTEST_SALT,
  SurveyExportError,
  say,
  type Timestamp,
  timestampOfMs,
} from "@survey-export/core";
import type { ErrorObject } from "ajv";
import { nearestName } from "../node/nearest-name.ts";
import { type Field, VALIDATORS } from "./form-validators.ts";
import type { Connection } from "./generated/connection.ts";
import type { Warning } from "./message-writer.ts";

/** What to read. */
export interface Selection {
  /** The surveys to read: non-empty strings, each once, not yet encoded for a path. Empty: every survey that is listed. */
  readonly surveyIds: readonly string[];
  /** Has an effect only if every survey is read. */
  readonly excludedSurveyIds: ReadonlySet<string>;
  /**
   * The respondents of whom the respondent streams are read: UUIDs as the user wrote them, each once whatever the case of its
   * letters. Empty: those whom the surveys show.
   */
  readonly respondentUuids: readonly string[];
  /** Both inclusive. */
  readonly startDate?: Timestamp;
  readonly endDate?: Timestamp;
  readonly attributes: readonly string[];
  readonly lookbackMs: number;
  readonly itemsPerPage: number;
}

/** What the user configured, checked, complete with defaults, and in one form only. */
export interface Configuration {
  /** Where the service is, and how fast it may be asked. */
  readonly service: Required<Pick<ClientOptions, "baseUrl" | "maxConcurrentRequests" | "requestsPerMinute">>;
  readonly selection: Selection;
  readonly personalData: PersonalDataSetting;
  /**
   * For the factories of transports, hashes and redactors, and for nothing else. `hashSalt`: of the hashes of personal
   * data; the empty string if nothing is hashed.
   */
  readonly secret: { readonly apiKey: string; readonly hashSalt: string };
  /** A sentence about fields that are not in the form; `NOTHING_TO_SAY` without any. */
  readonly ignored: Message;
}

/** What is wrong with a field. `at`: the index of the entry, also as a string, or the name of the part. */
interface Fault {
  readonly problem: string;
  readonly at?: number | string | undefined;
  /** If it is not the one of the field. */
  readonly remedy?: string | undefined;
}

/** What to do about a field that is wrong, or missing. */
const REMEDIES: Readonly<Record<Field, string>> = {
  base_url: "Give the address of the service's API, like https://data-api.survicate.com/v2.",
  api_key: "Copy the key alone from the service's panel under Settings, Organization, Access Keys.",
  survey_ids: 'Write each identifier as an entry of its own, like ["5c1f09ab37d24e68"].',
  excluded_survey_ids: 'Write each identifier as an entry of its own, like ["5c1f09ab37d24e68"].',
  respondent_uuids: 'Write each UUID as an entry of its own, like ["6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"].',
  start_date: "Write it in UTC and with its time, like 2024-01-01T00:00:00Z.",
  end_date: "Write it in UTC and with its time, like 2024-01-01T00:00:00Z.",
  attributes: 'Write each name as an entry of its own, spelled as it was set, like ["plan"].',
  lookback_window:
    "Write it as an ISO 8601 duration in weeks, days, hours, minutes and seconds, like PT30M or P1D.",
  items_per_page: "Write one, without quotes.",
  max_concurrent_requests: "Write one, without quotes.",
  requests_per_minute: "Write one, without quotes.",
  personal_data: 'Write it like { "all_kinds": "omit" }.',
};

const BASE_URL_PROBLEMS: Readonly<Record<BaseUrlProblem, string>> = {
  not_http: "is not an http or https address",
  holds_credentials: "holds a user name or a password",
  holds_query: "holds a query or a fragment",
  no_version: "does not end in /v2",
  plain_http: "uses plain http, which would show the key to everyone on the way",
};

const USE_HTTPS =
  "Use https. Plain http is accepted only for this machine, a private address, a name without dots, .local and .internal.";

/** All fields, in the order of the form. */
const FIELDS = Object.keys(VALIDATORS) as readonly Field[];

/** The parts of the field `personal_data`. */
const PERSONAL_DATA_PARTS: readonly string[] = ["all_kinds", ...PERSONAL_DATA_KINDS, "url", "hash_salt"];

/** Those whose names say what they are, wherever they stand. */
const NAMES_OF_PARTS = PERSONAL_DATA_PARTS.filter((name) => name !== "url");

/** What a schema cannot say about a field that fits the form. */
const CHECKS: { readonly [F in Field]?: (value: NonNullable<Connection[F]>) => Fault | undefined } = {
  base_url: baseUrlFault,
  survey_ids: surveyIdFault,
  excluded_survey_ids: surveyIdFault,
  start_date: dateFault,
  end_date: dateFault,
  lookback_window: (text) =>
    millisecondsOf(text) > LONGEST_LOOKBACK_MS
      ? { problem: "is longer than 3650 days", remedy: "Write a shorter one." }
      : undefined,
  personal_data: personalDataFault,
};

/**
 * The configuration as the program uses it. Null and the empty string count as not given, since forms and clients
 * write both for a field that nobody filled in. Duplicates are dropped. Unknown fields are ignored, unless one was meant as a
 * field of the form or treats personal data.
 * @throws SurveyExportError of kind config, with a sentence for each field that is wrong, in the order of the form. None
 * repeats a value or a name unlike ours, only its place: people paste keys anywhere, and messages end up in logs
 */
export function requireConfiguration(value: unknown): Configuration {
  if (!isObject(value))
    throw refused([
      'The configuration is not a JSON object. Write it like { "base_url": "…", "api_key": "…" }.',
    ]);
  const fields = withoutEmpty(value, FIELDS);
  const { personal_data: parts = {} } = fields;
  fields.personal_data = isObject(parts) ? withoutEmpty(parts, Object.keys(parts)) : parts;
  const faults = FIELDS.flatMap((field) => {
    const fault = faultIn(fields, field);
    return fault === undefined ? [] : [sentence(field, fault)];
  });
  const unknown = unknownFields(value);
  faults.push(...unknown.faults);
  const [start, end] = [parseTimestamp(fields.start_date), parseTimestamp(fields.end_date)];
  if (start !== undefined && end !== undefined && start >= end)
    faults.push("end_date is not after start_date. Move one of the two, or leave end_date empty.");
  if (faults.length > 0) throw refused(faults, unknown.ignored);
  return configurationFrom(fields as unknown as Connection, unknown.ignored);
}

function refused(faults: readonly string[], ignored: Message = NOTHING_TO_SAY): SurveyExportError {
  const start = faults.length > 1 ? [`The configuration has ${faults.length} errors.`] : [];
  const sentences = joined([say`${fixed([...start, ...faults].join(" "))}`, ignored]);
  return new SurveyExportError("config", "invalid_configuration", sentences);
}

/** The first thing that is wrong with a field. Writes the defaults of the form into `fields`. */
function faultIn(fields: Record<string, unknown>, field: Field): Fault | undefined {
  const validate = VALIDATORS[field];
  if (validate(fields)) {
    const check = CHECKS[field] as ((value: unknown) => Fault | undefined) | undefined;
    const value = fields[field];
    return value === undefined ? undefined : check?.(value);
  }
  const [error] = validate.errors ?? [];
  return error && formFault(error, field);
}

function formFault(error: ErrorObject, field: Field): Fault {
  const { keyword, parentSchema: form = {}, data, instancePath } = error;
  const at = instancePath.split("/")[2];
  if (keyword === "required") {
    const remedy = `${REMEDIES[field]} The variable SURVEY_EXPORT_API_KEY can give it, too.`;
    return { problem: "is missing", remedy };
  }
  if (form.enum !== undefined) {
    const choices = new Intl.ListFormat("en-GB").format(form.enum.map((choice: string) => `"${choice}"`));
    return { problem: `is not one of ${choices}`, at, remedy: "Choose one of them." };
  }
  if (form.type === "integer")
    return { problem: `is not a whole number from ${form.minimum} to ${form.maximum}`, at };
  if (form.type === "array") return { problem: "is not a list" };
  if (form.type === "object") return { problem: "is not an object" };
  if (keyword === "type") return { problem: "is not a string", at, remedy: "Write it in quotes." };
  if (keyword === "minLength") return { problem: "is empty", at };
  if (keyword === "maxLength") return { problem: `is longer than ${form.maxLength} characters`, at };
  if (at === "hash_salt") {
    const remedy = "It could be guessed. Give 32 random characters, such as openssl rand -hex 16 prints.";
    return { problem: `is shorter than ${SHORTEST_SALT} characters`, at, remedy };
  }
  const special = field === "base_url" ? baseUrlFault(data as string) : undefined;
  return special ?? { problem: "does not have the right format", at };
}

function sentence(field: Field, { problem, at, remedy = REMEDIES[field] }: Fault): string {
  const place = Number.isNaN(Number(at)) ? `.${at}` : `, entry ${Number(at) + 1},`;
  return `${field}${at === undefined ? "" : place} ${problem}. ${remedy}`;
}

function baseUrlFault(text: string): Fault | undefined {
  const parsed = parseBaseUrl(text);
  if (!("problem" in parsed)) return undefined;
  const remedy = parsed.problem === "plain_http" ? USE_HTTPS : undefined;
  return { problem: BASE_URL_PROBLEMS[parsed.problem], remedy };
}

const LEAVE_EMPTY = "To read every survey that the service lists, leave survey_ids empty.";

/** A survey's identifier is a part of a path: each way to write "." and ".." would be dropped. */
function surveyIdFault(ids: readonly string[]): Fault | undefined {
  for (const [at, id] of ids.entries()) {
    if (id.includes(",")) return { problem: "holds a comma", at };
    if (id.trim() !== id) return { problem: "begins or ends with white space", at };
    if (id === "." || id === "..") return { problem: "cannot be part of a URL", at };
    if (id === "*") return { problem: "is no identifier", at, remedy: LEAVE_EMPTY };
  }
  return undefined;
}

function dateFault(text: string): Fault | undefined {
  const problem = "names a day or a time that does not exist";
  return parseTimestamp(text) === undefined ? { problem } : undefined;
}

/** A name that is not known is an error: a misspelt name would let personal data through. */
function personalDataFault(parts: Connection["personal_data"]): Fault | undefined {
  const unknown = Object.keys(parts).find((name) => !PERSONAL_DATA_PARTS.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, PERSONAL_DATA_PARTS);
    const shown = nearest === undefined ? "a field that" : `${quoted(unknown)}, which`;
    const remedy = `Correct its name${nearest === undefined ? "" : ` to ${nearest}`}.`;
    return { problem: `holds ${shown} is not one of ${PERSONAL_DATA_PARTS.join(", ")}`, remedy };
  }
  const setting = settingOfKinds(parts);
  const hashed = PERSONAL_DATA_KINDS.find((kind) => setting[kind] === "hash");
  if (hashed === undefined || parts.hash_salt !== undefined) return undefined;
  const at = parts[hashed] === undefined ? "all_kinds" : hashed;
  const remedy = "Give a salt of 32 random characters, or choose keep or omit.";
  return { problem: "is hash, and personal_data.hash_salt is missing", at, remedy };
}

/** What happens to each kind: what its own field says, else what is chosen for all. A URL has no hash, so its host remains. */
function settingOfKinds({
  all_kinds: all,
  hash_salt: _,
  ...own
}: Connection["personal_data"]): PersonalDataSetting {
  const ofAll = PERSONAL_DATA_KINDS.map((kind) => [kind, all] as const);
  return { ...Object.fromEntries(ofAll), url: all === "hash" ? "host_only" : all, ...own };
}

/**
 * What is wrong with fields that are not in the form, and a sentence about those that are ignored. A field that resembles
 * one of ours, or treats personal data, is an error: to ignore it could let personal data through. Fields of the
 * platform begin with two underscores, and editors read `$schema`.
 */
function unknownFields(configuration: object) {
  const [faults, ignored]: [string[], Part[]] = [[], []];
  for (const [at, [name, value]] of Object.entries(configuration).entries()) {
    if (Object.hasOwn(VALIDATORS, name) || /^(__|\$schema$)/.test(name) || !isFilledIn(value)) continue;
    const nearest = nearestName(name, [...FIELDS, ...NAMES_OF_PARTS]);
    if (nearest !== undefined) {
      const isPart = NAMES_OF_PARTS.includes(nearest);
      const remedy = isPart ? `Write ${nearest} in personal_data` : `Correct its name to ${nearest}`;
      faults.push(`${quoted(name)} is not a field. ${remedy}, or remove it.`);
    } else if (Object.entries({ [name]: value, ...(isObject(value) && value) }).some(treatsPersonalData))
      faults.push(`Field ${at + 1} ${MISPLACED}`);
    else ignored.push(fixed(`field ${at + 1}`));
  }
  const sentence = say`The configuration has fields that this source does not know: ${listed(ignored, 5)}. They are ignored. Correct their names, or remove them.`;
  return { faults, ignored: ignored.length > 0 ? sentence : NOTHING_TO_SAY };
}

const MISPLACED =
  'of the configuration is unknown and seems to treat personal data, which only personal_data does. Write it like "personal_data": { "free_text": "omit" }, or remove it.';

const treatsPersonalData = ([name, value]: readonly [string, unknown]): boolean =>
  /personal|privacy|anonym|pseudonym|hash|redact|omit|mask|gdpr/i.test(name) ||
  /(?<![A-Za-z])pii|(?<![A-Z])P(ii|II)/.test(name) ||
  nearestName(name, NAMES_OF_PARTS) !== undefined ||
  (typeof value === "string" && /^(hash|omit|host.?only)$/i.test(value));

const quoted = (name: string): string => render(say`${given(name)}`);

const UNITS_MS: Record<string, number> = { W: 604_800_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000 };
const LONGEST_LOOKBACK_MS = 3650 * 86_400_000;

/** The length of a duration with the form's pattern, which has only units of a fixed length. */
function millisecondsOf(duration: string): number {
  const parts = [...duration.matchAll(/(\d+)([WDHMS])/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0);
}

function configurationFrom(connection: Connection, ignored: Message): Configuration {
  const { hash_salt: salt = "" } = connection.personal_data;
  const startDate = parseTimestamp(connection.start_date);
  const endDate = parseTimestamp(connection.end_date);
  const { survey_ids: ids = [], respondent_uuids: uuids = [] } = connection;
  return {
    service: {
      baseUrl: (parseBaseUrl(connection.base_url) as { baseUrl: string }).baseUrl,
      maxConcurrentRequests: connection.max_concurrent_requests,
      requestsPerMinute: connection.requests_per_minute,
    },
    selection: {
      surveyIds: [...new Set(ids)],
      excludedSurveyIds: new Set(connection.excluded_survey_ids),
      respondentUuids: [
        ...new Map(uuids.toReversed().map((uuid) => [uuid.toLowerCase(), uuid])).values(),
      ].toReversed(),
      ...(startDate && { startDate }),
      ...(endDate && { endDate }),
      attributes: [...new Set(connection.attributes)],
      lookbackMs: millisecondsOf(connection.lookback_window),
      itemsPerPage: connection.items_per_page,
    },
    personalData: settingOfKinds(connection.personal_data),
    secret: { apiKey: connection.api_key, hashSalt: parseSalt(salt).salt },
    ignored,
  };
}

/** Variables that give a field if the configuration has none. */
const VARIABLES = [
  ["api_key", "SURVEY_EXPORT_API_KEY"],
  ["base_url", "SURVEY_EXPORT_BASE_URL"],
] as const;

/** The configuration with what the environment gives. Without white space: what is read of a file ends in a newline. */
export function withEnvironment(configuration: unknown, env: NodeJS.ProcessEnv): unknown {
  if (!isObject(configuration)) return configuration;
  const added = VARIABLES.flatMap(([field, variable]) => {
    const value = env[variable]?.trim();
    return value && !isFilledIn(configuration[field]) ? [[field, value] as const] : [];
  });
  return { ...configuration, ...Object.fromEntries(added) };
}

/** Forms and clients write null and the empty string for a field that nobody filled in. */
const isFilledIn = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

const withoutEmpty = (fields: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (isFilledIn(fields[name]) ? [[name, fields[name]]] : [])));

/** Warnings about settings that work but are probably not what the user wants. */
export function configurationWarnings({ selection, ignored }: Configuration, nowMs: number): Warning[] {
  const warnings: Warning[] = [];
  if (ignored !== NOTHING_TO_SAY) warnings.push({ code: "doubtful_setting", message: ignored });
  if (selection.excludedSurveyIds.size > 0 && !isEverySurveyRead(selection)) {
    const message = say`excluded_survey_ids has no effect, since only the surveys are read that survey_ids names. Leave one of the two empty.`;
    warnings.push({ code: "doubtful_setting", message });
  }
  if (selection.startDate !== undefined && selection.startDate > timestampOfMs(nowMs)) {
    const message = say`start_date is in the future, so no responses are read until then. Correct it if that is not meant.`;
    warnings.push({ code: "doubtful_setting", message });
  }
  return warnings;
}
