/** The list that a path asks for. */
export type Route =
  | { readonly endpoint: "survey_responses"; readonly survey: string }
  | { readonly endpoint: "respondent_responses"; readonly respondent: string }
  | { readonly endpoint: "respondent_attributes"; readonly respondent: string };

/** The route of a path below the base URL, or undefined. Ids are decoded; a broken encoding has no route. */
export function routeOf(path: string): Route | undefined {
  let segments: string[];
  try {
    segments = path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [empty, resource, id, list, ...rest] = segments;
  if (empty !== "" || id === undefined || id === "" || rest.length > 0) return undefined;
  if (resource === "surveys" && list === "responses") return { endpoint: "survey_responses", survey: id };
  if (resource !== "respondents") return undefined;
  if (list === "responses") return { endpoint: "respondent_responses", respondent: id };
  if (list === "attributes") return { endpoint: "respondent_attributes", respondent: id };
  return undefined;
}
