import { expect, test } from "vitest";
import { Engine } from "../../../support/engine.ts";

const engine = await Engine.start(() => ({ baseUrl: "", apiKey: "" }));

test.each([
  ["surveyResponse", "Get many survey responses"],
  ["respondentAttribute", "Get many attributes of a person"],
])("the subtitle for %s reads %s", (resource, subtitle) => {
  expect(engine.subtitle({ resource, operation: "getAll" })).toBe(subtitle);
});
