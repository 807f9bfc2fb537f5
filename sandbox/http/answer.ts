import type { Choices } from "../choices.ts";
import type { Dataset } from "../data/dataset.ts";
import { comparePositions } from "../data/survey.ts";
import { itemJson } from "./item.ts";
import { attributesPage, type Page, type PageRequest, responsesPage } from "./page.ts";
import { Refusal, type ServiceReply } from "./reply.ts";
import { type ReportMalformed, type Route, readQuery } from "./request.ts";

/** A request with its parsed route. */
export interface Asked {
  readonly route: Route;
  /** The path below the base URL, as it was written. `query` has no question mark. */
  readonly path: string;
  readonly query: string;
}

/** The page with which to answer a request. Throws a `Refusal` if there is none. */
export function answerTo(
  { route, path, query }: Asked,
  dataset: Dataset,
  choices: Choices,
  reportMalformed: ReportMalformed,
): Page {
  const request = { path, query: readQuery(query, route.endpoint, choices, reportMalformed), choices };
  switch (route.endpoint) {
    case "survey_responses":
      return surveyResponses(route.survey, request, dataset);
    case "respondent_responses":
      return respondentResponses(route.respondent, request, dataset);
    case "respondent_attributes": {
      const records = dataset.respondents.attributes(route.respondent);
      if (records === undefined) throw unknownRespondent(route.respondent);
      return attributesPage(request, records);
    }
  }
}

const shapeOf = ({ itemShape }: Choices, place: number): "wrapped" | "bare" => {
  if (itemShape !== "mixed") return itemShape;
  return place % 2 === 0 ? "wrapped" : "bare";
};

function surveyResponses(id: string, request: PageRequest, dataset: Dataset): Page {
  const { query, choices } = request;
  const survey = dataset.survey(id);
  if (survey === undefined && choices.unknownSurvey === "refused") {
    throw new Refusal("unknownSurvey", `There is no survey ${id}.`);
  }
  const requested = new Set(query.attributes);
  return responsesPage(
    request,
    (from, limit) => survey?.list(from, query.endMicros, limit) ?? [],
    (listed, place) => itemJson(listed, requested, dataset.respondents, choices, shapeOf(choices, place)),
  );
}

/** Items are always wrapped: the document shows them so. */
function respondentResponses(id: string, request: PageRequest, dataset: Dataset): Page {
  const responses = dataset.responsesOf(id);
  if (responses === undefined) throw unknownRespondent(id);
  const noAttributes = new Set<string>();
  return responsesPage(
    request,
    (from, limit) => responses.filter((listed) => comparePositions(listed, from) <= 0).slice(0, limit),
    (listed) => itemJson(listed, noAttributes, dataset.respondents, request.choices, "wrapped"),
  );
}

const unknownRespondent = (uuid: string) =>
  new Refusal("unknownRespondent", `There is no respondent ${uuid}.`);

/** A page as an answer, with its number of items and its link. */
interface PageReply {
  readonly reply: ServiceReply;
  readonly items: number;
  readonly link: string | undefined;
}

const headers = { "content-type": "application/json; charset=utf-8" };
const MAX_CHARACTERS = 512 * 1024 * 1024;

/** Rendered pages by URL. A change of data empties it. Switched off, it keeps nothing. */
export class PageCache {
  readonly #on: boolean;
  readonly #pages = new Map<string, PageReply>();
  #version = 0;
  #characters = 0;

  constructor(on: boolean) {
    this.#on = on;
  }

  find(url: string, version: number): PageReply | undefined {
    return version === this.#version ? this.#pages.get(url) : undefined;
  }

  /** The page as an answer. The cache returns the same object each time, so that callers can use it as a key. */
  keep(url: string, version: number, page: Page): PageReply {
    const made = { reply: { status: 200, headers, body: page.body }, items: page.items, link: page.link };
    if (!this.#on) return made;
    if (version !== this.#version) {
      this.#pages.clear();
      this.#characters = 0;
      this.#version = version;
    }
    if (this.#characters + page.body.length <= MAX_CHARACTERS) {
      this.#pages.set(url, made);
      this.#characters += page.body.length;
    }
    return made;
  }
}
