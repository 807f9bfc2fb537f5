import type { Choices } from "../choices.ts";
import { PERSONAL_RESPONDENT_FIELDS, PERSONAL_RESPONSE_ATTRIBUTES } from "../data/personal-data.ts";
import type { AttributePair } from "../data/record.ts";
import type { Respondents } from "../data/respondents.ts";
import type { ListedResponse } from "../data/survey.ts";
import { formatTimestamp } from "../time.ts";

/** Names of the attributes to send, matched exactly. */
type RequestedAttributes = ReadonlySet<string>;

/** The `response` object of an item, as JSON. Pages must be cheap, so it is joined from ready parts if possible. */
function responseJson(
  listed: ListedResponse,
  requested: RequestedAttributes,
  respondents: Respondents,
  choices: Choices,
): string {
  const { of, stored } = listed;
  const variant = of.variant(listed);
  const respondent = of.respondent(listed);
  const personal =
    requested.size === 0 ? NO_PAIRS : named(respondents.attributes(respondent) ?? NO_PAIRS, requested);
  const recorded = stored?.attributes ?? variant.attributes;
  const own = named(of.personalData ? [...recorded, ...PERSONAL_RESPONSE_ATTRIBUTES] : recorded, requested);
  const uuid = of.uuid(listed);
  const collectedAt = formatTimestamp(listed.micros, choices.fraction);
  if (of.personalData || (stored !== undefined && Object.keys(stored.fields).length > 0)) {
    return JSON.stringify({
      uuid,
      collected_at: collectedAt,
      ...variant.content,
      respondent: {
        uuid: respondent,
        attributes: personal,
        ...(of.personalData ? PERSONAL_RESPONDENT_FIELDS : {}),
      },
      attributes: own,
      ...stored?.fields,
    });
  }
  const who = stored === undefined ? `"${respondent}"` : JSON.stringify(respondent);
  const id = stored === undefined ? `"${uuid}"` : JSON.stringify(uuid);
  return (
    `{"uuid":${id},"collected_at":"${collectedAt}",${variant.json},` +
    `"respondent":{"uuid":${who},"attributes":${list(personal)}},"attributes":${list(own)}}`
  );
}

/** An item of a list: wrapped with its survey, or the response itself. */
export function itemJson(
  listed: ListedResponse,
  requested: RequestedAttributes,
  respondents: Respondents,
  choices: Choices,
  shape: "wrapped" | "bare",
): string {
  const response = responseJson(listed, requested, respondents, choices);
  return shape === "bare" ? response : `{"survey":${listed.of.json},"response":${response}}`;
}

const NO_PAIRS: readonly AttributePair[] = [];

const list = (pairs: readonly AttributePair[]): string => (pairs.length === 0 ? "[]" : JSON.stringify(pairs));

const named = (pairs: readonly AttributePair[], requested: RequestedAttributes): readonly AttributePair[] =>
  requested.size === 0 || pairs.length === 0
    ? NO_PAIRS
    : pairs.filter(({ name }) => requested.has(name)).map(({ name, value }) => ({ name, value }));
