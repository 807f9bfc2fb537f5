import type { Choices } from "../choices.ts";
import type { Dataset } from "../data/dataset.ts";
import { comparePositions } from "../data/position.ts";
import { itemJson, type RequestedAttributes } from "./item.ts";
import { attributesPage, type Page, responsesPage } from "./page.ts";
import { type ListQuery, type ReportMalformed, readQuery } from "./query.ts";
import { Refusal } from "./refusal.ts";
import type { Route } from "./route.ts";

/** A request with its parsed route. */
export interface Asked {
  readonly route: Route;
  /** The path below the base URL, as it was written. `query` has no question mark. */
  readonly path: string;
  readonly query: string;
}

/** The page with which to answer a request. Throws a `Refusal` if there is none. */
export function answerTo(
  asked: Asked,
  dataset: Dataset,
  choices: Choices,
  reportMalformed: ReportMalformed,
): Page {
  const query = readQuery(asked.query, asked.route.endpoint, choices, reportMalformed);
  switch (asked.route.endpoint) {
    case "survey_responses":
      return surveyResponses(asked.route.survey, asked.path, query, dataset, choices);
    case "respondent_responses":
      return respondentResponses(asked.route.respondent, asked.path, query, dataset, choices);
    case "respondent_attributes": {
      const records = dataset.respondents.attributes(asked.route.respondent);
      if (records === undefined) throw unknownRespondent(asked.route.respondent);
      return attributesPage(asked.path, query, choices, records);
    }
  }
}

const NO_ATTRIBUTES: RequestedAttributes = new Set();

const shapeOf = (choices: Choices, place: number): "wrapped" | "bare" => {
  if (choices.itemShape !== "mixed") return choices.itemShape;
  return place % 2 === 0 ? "wrapped" : "bare";
};

function surveyResponses(
  id: string,
  path: string,
  query: ListQuery,
  dataset: Dataset,
  choices: Choices,
): Page {
  const survey = dataset.survey(id);
  if (survey === undefined && choices.unknownSurvey === "refused") throw unknownSurvey(id);
  const requested = new Set(query.attributes);
  return responsesPage(
    path,
    query,
    choices,
    (from, limit) => survey?.list(from, query.endMicros, limit) ?? [],
    (listed, place) => itemJson(listed, requested, dataset.respondents, choices, shapeOf(choices, place)),
  );
}

/** Items are always wrapped: the document shows them so. */
function respondentResponses(
  id: string,
  path: string,
  query: ListQuery,
  dataset: Dataset,
  choices: Choices,
): Page {
  const responses = dataset.responsesOf(id);
  if (responses === undefined) throw unknownRespondent(id);
  return responsesPage(
    path,
    query,
    choices,
    (from, limit) => {
      const first = responses.findIndex((listed) => comparePositions(listed, from) <= 0);
      return first < 0 ? [] : responses.slice(first, first + limit);
    },
    (listed) => itemJson(listed, NO_ATTRIBUTES, dataset.respondents, choices, "wrapped"),
  );
}

const unknownSurvey = (id: string) => new Refusal("unknownSurvey", `There is no survey ${id}.`);
const unknownRespondent = (uuid: string) =>
  new Refusal("unknownRespondent", `There is no respondent ${uuid}.`);
