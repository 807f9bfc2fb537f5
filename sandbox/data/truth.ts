import { type Fraction, formatMoment } from "../moment.ts";
import type { AttributeRecord } from "./record.ts";
import type { Listed } from "./survey.ts";
import type { World } from "./world.ts";

/** A response as it is, whatever the service would say about it. */
export interface TrueResponse {
  readonly uuid: string;
  readonly survey_id: string;
  readonly respondent_uuid: string;
  /** As the service writes it. */
  readonly collected_at: string;
  /** The same in microseconds since the epoch. */
  readonly micros: number;
}

/**
 * What is in the service now, found by counting through the data and not by the code that answers
 * requests: what tests compare a reader's harvest with.
 */
export interface Truth {
  surveyIds(): string[];
  /** Responses of one survey, oldest first; computed as they are taken. Throws when there is no such survey. */
  responses(surveyId: string): Iterable<TrueResponse>;
  count(surveyId: string): number;
  /** Everybody who answered the survey, whether or not they can still be asked for. */
  respondents(surveyId: string): Set<string>;
  /** Responses of one person to all surveys, oldest first. Counts through everything: slow on millions. */
  responsesOf(respondentUuid: string): TrueResponse[];
  /** A person's attributes, largest id first, or undefined for a person who is not (or no longer) there. */
  attributes(respondentUuid: string): readonly AttributeRecord[] | undefined;
}

/** The truth about a world whose moments are written with this fraction. */
export function truthOf(world: World, fraction: Fraction): Truth {
  const describe = (listed: Listed): TrueResponse => ({
    uuid: listed.of.uuid(listed),
    survey_id: listed.of.id,
    respondent_uuid: listed.of.respondent(listed),
    collected_at: formatMoment(listed.micros, fraction),
    micros: listed.micros,
  });
  const survey = (id: string) => {
    const found = world.survey(id);
    if (found === undefined) throw new Error(`There is no survey "${id}".`);
    return found;
  };
  function* responses(surveyId: string): Generator<TrueResponse> {
    for (const listed of survey(surveyId).ascending()) yield describe(listed);
  }
  return {
    surveyIds: () => world.surveys().map(({ id }) => id),
    responses,
    count: (surveyId) => survey(surveyId).count,
    respondents: (surveyId) => {
      const found = survey(surveyId);
      const everybody = new Set<string>();
      for (const listed of found.ascending()) everybody.add(found.respondent(listed));
      return everybody;
    },
    responsesOf: (respondentUuid) =>
      world
        .surveys()
        .flatMap(({ id }) =>
          [...responses(id)].filter((response) => response.respondent_uuid === respondentUuid),
        )
        .sort((one, other) => one.micros - other.micros),
    attributes: (respondentUuid) => {
      const records = world.people.attributes(respondentUuid);
      return records && [...records].sort((one, other) => other.id - one.id);
    },
  };
}
