import {
  fixed,
  isObject,
  type PersonalDataSetting,
  SurveyExportError,
  say,
  type Timestamp,
  timestampOfMs,
} from "@survey-export/core";
import { shapesOf } from "./configuration-shape.ts";
import {
  asGiven,
  attributeProblem,
  type Checked,
  checkBaseUrl,
  checkLookback,
  checkPersonalData,
  checkTimestamp,
  FIELDS,
  type Field,
  isFilledIn,
  list,
  optional,
  surveyIdProblem,
  withoutEmpty,
} from "./configured-values.ts";
import type { Connection } from "./generated/connection.ts";
import type { Warning } from "./message-writer.ts";
import { misspeltFields, misspeltPersonalData } from "./misspelt-fields.ts";

/** Where the service is, and how fast it may be asked. */
export interface ServiceSettings {
  /** Ends in `/v2`, without a slash after it. */
  readonly baseUrl: string;
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
}

/** What to read. */
export interface Selection {
  /** Non-empty strings, each once, not yet encoded for a path. */
  readonly surveyIds: readonly string[];
  /** UUIDs as the user wrote them, each once whatever the case of its letters. */
  readonly respondentUuids: readonly string[];
  /** Both inclusive. */
  readonly startDate?: Timestamp;
  readonly endDate?: Timestamp;
  readonly attributes: readonly string[];
  readonly lookbackMs: number;
  readonly itemsPerPage: number;
}

/** For the factories of transports and hashes, and for nothing else. The core is never given it. */
export interface Secret {
  readonly apiKey: string;
  /** Of the hashes of personal data; the empty string if nothing is hashed. */
  readonly hashSalt: string;
}

/** What the user configured, checked, complete with defaults, and in one form only. */
export interface Configuration {
  readonly service: ServiceSettings;
  readonly selection: Selection;
  readonly personalData: PersonalDataSetting;
  readonly secret: Secret;
}

/** What each field becomes that fits the form. A field without a parser does not compile. */
const PARSERS = {
  base_url: checkBaseUrl,
  api_key: asGiven<string>,
  survey_ids: list(surveyIdProblem),
  respondent_uuids: list(
    () => undefined,
    (uuid) => uuid.toLowerCase(),
  ),
  start_date: optional(checkTimestamp),
  end_date: optional(checkTimestamp),
  attributes: list(attributeProblem),
  lookback_window: checkLookback,
  items_per_page: asGiven<number>,
  max_concurrent_requests: asGiven<number>,
  requests_per_minute: asGiven<number>,
  personal_data: checkPersonalData,
} satisfies { readonly [F in Field]: (given: Connection[F]) => Checked<unknown> };

type Values = {
  -readonly [F in Field]: Extract<ReturnType<(typeof PARSERS)[F]>, { readonly value: unknown }>["value"];
};

function configurationFrom(values: Values): Configuration {
  const { start_date: startDate, end_date: endDate, personal_data: personal } = values;
  return {
    service: {
      baseUrl: values.base_url,
      maxConcurrentRequests: values.max_concurrent_requests,
      requestsPerMinute: values.requests_per_minute,
    },
    selection: {
      surveyIds: values.survey_ids,
      respondentUuids: values.respondent_uuids,
      ...(startDate && { startDate }),
      ...(endDate && { endDate }),
      attributes: values.attributes,
      lookbackMs: values.lookback_window,
      itemsPerPage: values.items_per_page,
    },
    personalData: personal.setting,
    secret: { apiKey: values.api_key, hashSalt: personal.salt },
  };
}

/** The configuration with `key`, if it has none of its own. Without white space: what is read of a file ends in a newline. */
export function withKey(configuration: unknown, key = ""): unknown {
  if (key.trim() === "" || !isObject(configuration) || isFilledIn(configuration.api_key))
    return configuration;
  return { ...configuration, api_key: key.trim() };
}

/** The configuration, or a sentence for each error, in the order of the form. */
export type ParsedConfiguration =
  | { readonly configuration: Configuration }
  | { readonly faults: readonly string[] };

/**
 * The configuration as the program uses it. Null and the empty string count as not given, since forms and clients
 * write both for a field that was left alone. Duplicates are dropped, unknown fields are ignored.
 *
 * No sentence repeats a value, only a field's name and an entry's number: people paste keys into the wrong field, and
 * messages end up in logs.
 */
export function parseConfiguration(value: unknown): ParsedConfiguration {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      faults: ['The configuration is not a JSON object. Write it like { "base_url": "…", "api_key": "…" }.'],
    };
  }
  const given = withoutEmpty(value, FIELDS);
  const shapes = shapesOf(given);
  const values: Partial<Record<Field, unknown>> = {};
  const faults: string[] = [];
  for (const field of FIELDS) {
    const shape: Checked<unknown> = shapes[field];
    // The type of a shape belongs to the parser of the same field, which TypeScript cannot follow through a loop.
    const parsed: Checked<unknown> = shape.fault === undefined ? PARSERS[field](shape.value as never) : shape;
    if (parsed.fault === undefined) values[field] = parsed.value;
    else faults.push(`${nameOf(field, parsed.at)} ${parsed.fault}`);
  }
  faults.push(...faultsTogether(values as Partial<Values>, value));
  return faults.length > 0 ? { faults } : { configuration: configurationFrom(values as Values) };
}

function nameOf(field: Field, at: number | string | undefined): string {
  if (at === undefined) return field;
  return typeof at === "number" ? `${field}, entry ${at + 1},` : `${field}.${at}`;
}

/** @throws {SurveyExportError} of kind config that lists every fault of `parseConfiguration` */
export function requireConfiguration(value: unknown): Configuration {
  const parsed = parseConfiguration(value);
  if ("configuration" in parsed) return parsed.configuration;
  const { faults } = parsed;
  const start = faults.length > 1 ? [`The configuration has ${faults.length} errors.`] : [];
  throw new SurveyExportError(
    "config",
    "invalid_configuration",
    say`${fixed([...start, ...faults].join(" "))}`,
  );
}

/** What is wrong with several fields together. A field with an error of its own has no value here. */
function faultsTogether(values: Partial<Values>, given: object): string[] {
  const { start_date: start, end_date: end, survey_ids: surveys, respondent_uuids: respondents } = values;
  const misspelt = misspeltPersonalData(given);
  const faults = misspelt === undefined ? [] : [misspelt];
  if (start !== undefined && end !== undefined && start >= end) {
    faults.push("end_date is not after start_date. Move one of the two, or leave end_date empty.");
  }
  if (surveys?.length === 0 && respondents?.length === 0) {
    faults.push("There is nothing to read. Add a survey to survey_ids or a respondent to respondent_uuids.");
  }
  return faults;
}

/** Warnings about settings that work but are probably not what the user wants. `given`: the configuration as it came. */
export function configurationWarnings(
  given: unknown,
  configuration: Configuration,
  nowMs: number,
): Warning[] {
  const { selection } = configuration;
  const warnings = misspeltFields(given);
  const { on_unreadable: removed = "fail" } = withoutEmpty(Object(given), ["on_unreadable"]);
  // Forms stored its default.
  if (removed !== "fail") {
    warnings.push({
      code: "removed_setting",
      message: say`The configuration's field on_unreadable is ignored: there is no such setting any more. Remove it.`,
    });
  }
  if (selection.startDate !== undefined && selection.startDate > timestampOfMs(nowMs)) {
    warnings.push({
      code: "start_date_in_future",
      message: say`start_date is in the future, so no responses are read until then. Correct it if that is not meant.`,
    });
  }
  return warnings;
}
