import { outside, render, SurveyExportError, say } from "@survey-export/core";
import type { INode } from "n8n-workflow";
import { expect, test } from "vitest";
import { verdictOn } from "../../../../../connector/core/client/retry-policy.ts";
import { explain, nodeErrorOf } from "../../../../../n8n-node/nodes/SurveyExport/shared/failure.ts";

test.each([
  [
    "advice is in the words of the editor",
    SurveyExportError.from(new Error("x is not a function")),
    "Something unexpected happened in this node",
    'Please report it with these details. An unexpected error stopped the read: "x is not a function".',
  ],
  [
    "facts of the core are shown without its advice, which names settings of the other adapter",
    new SurveyExportError("transient", "no_answer", say`The request failed (reset).`, {
      advice: say`Check that base_url is right and that the service can be reached from here.`,
    }).adding(say`This was tried 4 times in 7 s.`),
    "The service did not answer",
    "Check that the credential's Base URL is the service's address up to and including /v2. The request failed (reset). This was tried 4 times in 7 s.",
  ],
  [
    "a connection that waiting does not help is explained by the core, with its advice",
    new SurveyExportError("config", "no_answer", say`The service's certificate has expired.`, {
      advice: say`Check this machine's clock; if it is right, tell the service.`,
    }),
    "Could not connect to the service",
    "The service's certificate has expired. Check this machine's clock; if it is right, tell the service.",
  ],
  [
    "advice follows a sentence that says it all, which does not come twice",
    new SurveyExportError(
      "config",
      "surveys_not_listed",
      say`The service answered 404 to its list of surveys.`,
    ),
    "The service has no list of surveys at this address",
    "Check that the credential's Base URL is the service's address up to and including /v2. If the service does not list its surveys, give them by their IDs.",
  ],
])("%s", (_, error, message, description) => {
  const said = explain(error);
  expect([said.facts, said.advice].map((part) => render(part))).toEqual([message, description]);
});

test("an outage of a trigger that worked is no reason to doubt its address", () => {
  const outage = new SurveyExportError("transient", "no_answer", say`The request failed (reset).`);
  expect(render(explain(outage, true).advice)).toBe(
    "The next poll tries again. If this happens again, ask the service. The request failed (reset).",
  );
});

test.each([401, 402, 403, 404, 400, 302, 503])("what is said of status %i comes once", (status) => {
  const { kind, code, what, advice } = verdictOn(status);
  const error = new SurveyExportError(kind, code, say`${what} (status ${status} to GET /x).`, { advice });
  const said = explain(error);
  expect(render(said.advice)).not.toContain(render(said.facts));
  if (status !== 404) expect(render(said.advice)).toContain(`(status ${status} to GET /x)`);
});

test("an error before there is a connection quotes nothing from outside", () => {
  const facts = say`It says: ${outside("Authorization: Basic 1234")}.`;
  const error = new SurveyExportError("config", "rejected", facts);
  expect(nodeErrorOf({} as INode, error).description).toBe(
    'Check the ID, the times and the attribute names. It says: "…".',
  );
});
