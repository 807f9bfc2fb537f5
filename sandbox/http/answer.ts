import type { Choices } from "../choices.ts";
import { comparePositions } from "../data/position.ts";
import type { World } from "../data/world.ts";
import { type AttributePlacement, itemJson } from "./item.ts";
import { attributesPage, type Page, responsesPage } from "./page.ts";
import { type Complain, type ListQuery, readQuery } from "./query.ts";
import { Refusal } from "./refusal.ts";
import type { Route } from "./route.ts";

/** What is asked for, once the address is understood. */
export interface Asked {
  readonly route: Route;
  /** Path below the base URL, as it was written, and query without its question mark. */
  readonly path: string;
  readonly query: string;
}

/** The true answer of status 200 to a request, or a thrown `Refusal`. */
export function answerTo(asked: Asked, world: World, choices: Choices, complain: Complain): Page {
  const query = readQuery(asked.query, asked.route.endpoint, choices, complain);
  switch (asked.route.endpoint) {
    case "survey_responses":
      return surveyResponses(asked.route.survey, asked.path, query, world, choices);
    case "respondent_responses":
      return respondentResponses(asked.route.respondent, asked.path, query, world, choices);
    case "respondent_attributes": {
      const records = world.people.attributes(asked.route.respondent);
      if (records === undefined) throw unknownRespondent(asked.route.respondent);
      return attributesPage(asked.path, query, choices, records);
    }
    case "single_response":
      return singleResponse(asked.route, query, world, choices);
  }
}

const none: AttributePlacement = { kind: "none" };

const shapeOf = (choices: Choices, place: number): "wrapped" | "bare" => {
  if (choices.itemShape !== "mixed") return choices.itemShape;
  return place % 2 === 0 ? "wrapped" : "bare";
};

function surveyResponses(id: string, path: string, query: ListQuery, world: World, choices: Choices): Page {
  const survey = world.survey(id);
  if (survey === undefined && choices.unknownSurvey === "refused") throw unknownSurvey(id);
  const names = new Set(query.attributes);
  const placement: AttributePlacement = names.size === 0 ? none : { kind: "requested", names };
  return responsesPage(
    path,
    query,
    choices,
    (from, limit) => survey?.list(from, query.endMicros, limit) ?? [],
    (listed, place) => itemJson(listed, placement, world.people, choices, shapeOf(choices, place)),
  );
}

/** Always wrapped: the document shows this one. */
function respondentResponses(
  id: string,
  path: string,
  query: ListQuery,
  world: World,
  choices: Choices,
): Page {
  const responses = world.responsesOf(id);
  if (responses === undefined) throw unknownRespondent(id);
  return responsesPage(
    path,
    query,
    choices,
    (from, limit) => {
      const first = responses.findIndex((listed) => comparePositions(listed, from) <= 0);
      return first < 0 ? [] : responses.slice(first, first + limit);
    },
    (listed) => itemJson(listed, none, world.people, choices, "wrapped"),
  );
}

function singleResponse(
  route: { readonly survey: string | undefined; readonly response: string },
  query: ListQuery,
  world: World,
  choices: Choices,
): Page {
  const survey = route.survey === undefined ? undefined : world.survey(route.survey);
  if (route.survey !== undefined && survey === undefined) throw unknownSurvey(route.survey);
  const among = survey === undefined ? world.surveys() : [survey];
  const listed = among.map((one) => one.find(route.response)).find((found) => found !== undefined);
  if (listed === undefined) {
    throw new Refusal("unknownResponse", `There is no response ${route.response} here.`);
  }
  const placement: AttributePlacement = { kind: "own_and_requested", names: new Set(query.attributes) };
  return { body: itemJson(listed, placement, world.people, choices, "wrapped"), items: 1, link: undefined };
}

const unknownSurvey = (id: string) => new Refusal("unknownSurvey", `There is no survey ${id}.`);
const unknownRespondent = (uuid: string) =>
  new Refusal("unknownRespondent", `There is no respondent ${uuid}.`);
