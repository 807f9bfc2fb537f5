import type { Choices } from "../choices.ts";
import type { People } from "../data/people.ts";
import type { AttributePair } from "../data/record.ts";
import type { Listed } from "../data/survey.ts";
import { formatMoment } from "../moment.ts";

/** Which attributes a response is sent with. `names` are matched exactly. */
export type AttributePlacement =
  | { readonly kind: "none" }
  | { readonly kind: "requested"; readonly names: ReadonlySet<string> }
  | { readonly kind: "own_and_requested"; readonly names: ReadonlySet<string> };

/** The `response` object of an item, as JSON. Joined from ready parts where it can be: pages must be cheap. */
export function responseJson(
  listed: Listed,
  placement: AttributePlacement,
  people: People,
  choices: Choices,
): string {
  const { of, held } = listed;
  const variant = of.variant(listed);
  const respondent = of.respondent(listed);
  const own = held?.attributes ?? variant.attributes;
  const personal =
    placement.kind === "none" ? [] : named(people.attributes(respondent) ?? [], placement.names);
  const recorded = placement.kind === "own_and_requested" ? own.map(pair) : ownRequested(own, placement);
  const uuid = of.uuid(listed);
  const collectedAt = formatMoment(listed.micros, choices.fraction);
  if (held !== undefined && Object.keys(held.fields).length > 0) {
    return JSON.stringify({
      uuid,
      collected_at: collectedAt,
      ...variant.content,
      respondent: { uuid: respondent, attributes: personal },
      attributes: recorded,
      ...held.fields,
    });
  }
  const who = held === undefined ? `"${respondent}"` : JSON.stringify(respondent);
  const id = held === undefined ? `"${uuid}"` : JSON.stringify(uuid);
  return (
    `{"uuid":${id},"collected_at":"${collectedAt}",${variant.json},` +
    `"respondent":{"uuid":${who},"attributes":${list(personal)}},"attributes":${list(recorded)}}`
  );
}

/** A whole item of a list: wrapped with its survey, or bare. */
export function itemJson(
  listed: Listed,
  placement: AttributePlacement,
  people: People,
  choices: Choices,
  shape: "wrapped" | "bare",
): string {
  const response = responseJson(listed, placement, people, choices);
  return shape === "bare" ? response : `{"survey":${listed.of.json},"response":${response}}`;
}

const list = (pairs: readonly AttributePair[]): string => (pairs.length === 0 ? "[]" : JSON.stringify(pairs));

const pair = ({ name, value }: AttributePair): AttributePair => ({ name, value });

const named = (pairs: readonly AttributePair[], names: ReadonlySet<string>): AttributePair[] =>
  pairs.filter(({ name }) => names.has(name)).map(pair);

const ownRequested = (own: readonly AttributePair[], placement: AttributePlacement): AttributePair[] =>
  placement.kind === "requested" && own.length > 0 ? named(own, placement.names) : [];
