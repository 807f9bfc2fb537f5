import { fixed, type PersonalDataSetting, SurveyExportError, say, type Timestamp } from "@survey-export/core";
import specification from "../../spec/connection.json" with { type: "json" };
import { checkBaseUrl } from "./base-url.ts";
import type { Checked } from "./checked.ts";
import { type Field, shapeOf } from "./configuration-shape.ts";
import { checkTimestamp } from "./configured-timestamp.ts";
import type { Connection } from "./generated/connection.ts";
import { checkLookback } from "./lookback.ts";
import { checkPersonalData, misspeltPersonalData, withoutBlanks } from "./personal-data-setting.ts";

/** Where the service is, and how fast it may be asked. */
export interface ServiceSettings {
  /** Ends in `/v2`, without a slash behind it. */
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
  /** Of the hashes of personal data; the empty string where nothing is hashed. */
  readonly hashSalt: string;
}

/** What the user configured, checked, complete with defaults, and in one form only. */
export interface Configuration {
  readonly service: ServiceSettings;
  readonly selection: Selection;
  readonly personalData: PersonalDataSetting;
  readonly secret: Secret;
}

const RESPONDENT_UUID = new RegExp(specification.properties.respondent_uuids.items.pattern);

/**
 * The configuration as the program uses it. Null and the empty string count as not given, since forms and clients
 * write both for a field that was left alone. Duplicates are dropped, unknown fields are ignored.
 *
 * No message repeats a value, only a field's name and an entry's number: people paste keys into the wrong field, and
 * messages end up in logs.
 *
 * @throws {SurveyExportError} of kind config that lists every fault, field by field.
 */
export function parseConfiguration(value: unknown): Configuration {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid([
      'The configuration is not a JSON object. Write it like { "base_url": "…", "api_key": "…" }.',
    ]);
  }
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== ""));
  if (given.personal_data !== undefined) given.personal_data = withoutBlanks(given.personal_data);
  const shape = shapeOf(given);
  const faults = new Map<Field | "selection", string>(shape.faults);
  const configuration = checked(given as Connection, faults);
  const misspelt = misspeltPersonalData(given);
  if (misspelt !== undefined) faults.set("personal_data", misspelt);
  for (const [field, sentence] of shape.unlike) if (!faults.has(field)) faults.set(field, sentence);
  if (faults.size > 0) throw invalid([...faults.values()]);
  return configuration;
}

function invalid(sentences: readonly string[]): SurveyExportError {
  const start = sentences.length > 1 ? [`The configuration has ${sentences.length} faults.`] : [];
  return new SurveyExportError(
    "config",
    "invalid_configuration",
    say`${fixed([...start, ...sentences].join(" "))}`,
  );
}

/**
 * Checks that a schema cannot express. A field that already has a fault is skipped. The result may be used only if no
 * field has one.
 */
function checked(given: Connection, faults: Map<Field | "selection", string>): Configuration {
  const check = <In, Out>(field: Field, by: (value: In) => Checked<Out>): Out | undefined => {
    const value = given[field] as In | undefined;
    if (value === undefined || faults.has(field)) return undefined;
    const result = by(value);
    if ("value" in result) return result.value;
    faults.set(field, result.fault);
    return undefined;
  };
  const baseUrl = check("base_url", checkBaseUrl);
  const apiKey = check("api_key", checkApiKey);
  const surveyIds = check("survey_ids", checkSurveyIds);
  const respondentUuids = check("respondent_uuids", checkRespondentUuids);
  const startDate = check("start_date", (text: string) => checkTimestamp("start_date", text));
  const endDate = check("end_date", (text: string) => checkTimestamp("end_date", text));
  const attributes = check("attributes", checkAttributes);
  const lookbackMs = check("lookback_window", checkLookback);
  const personalData = check("personal_data", checkPersonalData);
  if (startDate !== undefined && endDate !== undefined && startDate >= endDate) {
    faults.set("end_date", "end_date is not after start_date. Move one of the two, or leave end_date empty.");
  }
  const chosen = (surveyIds?.length ?? 0) + (respondentUuids?.length ?? 0);
  if (chosen === 0 && !faults.has("survey_ids") && !faults.has("respondent_uuids")) {
    faults.set(
      "selection",
      "There is nothing to read. Add a survey to survey_ids or a respondent to respondent_uuids.",
    );
  }
  return {
    service: {
      baseUrl: baseUrl ?? "",
      maxConcurrentRequests: given.max_concurrent_requests ?? 0,
      requestsPerMinute: given.requests_per_minute ?? 0,
    },
    selection: {
      surveyIds: surveyIds ?? [],
      respondentUuids: respondentUuids ?? [],
      ...(startDate === undefined ? {} : { startDate }),
      ...(endDate === undefined ? {} : { endDate }),
      attributes: attributes ?? [],
      lookbackMs: lookbackMs ?? 0,
      itemsPerPage: given.items_per_page ?? 0,
    },
    personalData: personalData?.setting ?? {},
    secret: { apiKey: apiKey ?? "", hashSalt: personalData?.salt ?? "" },
  };
}

/** Visible ASCII only: a line break would end the header and start another. */
function checkApiKey(key: string): Checked<string> {
  if (/^[!-~]+$/.test(key)) return { value: key };
  return {
    fault:
      "api_key holds a blank, a line break or another character that no key has. Copy the key again, without " +
      "anything before or behind it.",
  };
}

function checkSurveyIds(ids: readonly string[]): Checked<string[]> {
  for (const [index, id] of ids.entries()) {
    const entry = `survey_ids, entry ${index + 1},`;
    if (id.trim() === "")
      return { fault: `${entry} is empty. Give the survey's identifier, or remove the entry.` };
    const slip = slipIn(id);
    if (slip !== undefined) return { fault: `${entry} ${slip}` };
    // Every way to write these two as a path segment is dropped from the path.
    if (id === "." || id === ".." || !id.isWellFormed()) {
      return { fault: `${entry} cannot stand in an address. Copy the survey's identifier again.` };
    }
  }
  return { value: [...new Set(ids)] };
}

/** What went wrong when an identifier was pasted. The service would only say that it does not know it. */
function slipIn(id: string): string | undefined {
  if (id.includes(",")) return "holds a comma. Write each identifier as an entry of its own.";
  return id.trim() === id ? undefined : "begins or ends with a blank. Remove the blank.";
}

function checkRespondentUuids(uuids: readonly string[]): Checked<string[]> {
  const index = uuids.findIndex((each) => !RESPONDENT_UUID.test(each));
  if (index >= 0) {
    const like = "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10";
    const slip = slipIn(uuids[index]!) ?? `is not a UUID. Write it like ${like}.`;
    return { fault: `respondent_uuids, entry ${index + 1}, ${slip}` };
  }
  const seen = new Set<string>();
  return { value: uuids.filter((each) => seen.size < seen.add(each.toLowerCase()).size) };
}

function checkAttributes(names: readonly string[]): Checked<string[]> {
  const index = names.findIndex((name) => name === "" || !name.isWellFormed());
  if (index < 0) return { value: [...new Set(names)] };
  return {
    fault: `attributes, entry ${index + 1}, is not a name. Write it as it was set, or remove the entry.`,
  };
}
