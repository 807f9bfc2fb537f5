import type { Choices } from "../choices.ts";

/** What a path asks for. */
export type Route =
  | { readonly endpoint: "survey_responses"; readonly survey: string }
  | { readonly endpoint: "respondent_responses"; readonly respondent: string }
  | { readonly endpoint: "respondent_attributes"; readonly respondent: string }
  | { readonly endpoint: "single_response"; readonly survey: string | undefined; readonly response: string };

/** The route of a path below the base URL, or undefined. Ids are decoded; a broken encoding has no route. */
export function routeOf(path: string, choices: Choices): Route | undefined {
  let segments: string[];
  try {
    segments = path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [empty, resource, id, list, response, ...rest] = segments;
  if (empty !== "" || id === undefined || id === "" || rest.length > 0) return undefined;
  if (resource === "surveys" && list === "responses") {
    if (response === undefined) return { endpoint: "survey_responses", survey: id };
    if (choices.singleResponse !== "under_survey" || response === "") return undefined;
    return { endpoint: "single_response", survey: id, response };
  }
  if (response !== undefined) return undefined;
  if (resource === "respondents" && list === "responses") {
    return { endpoint: "respondent_responses", respondent: id };
  }
  if (resource === "respondents" && list === "attributes") {
    return { endpoint: "respondent_attributes", respondent: id };
  }
  if (resource === "responses" && list === undefined && choices.singleResponse === "top_level") {
    return { endpoint: "single_response", survey: undefined, response: id };
  }
  return undefined;
}
