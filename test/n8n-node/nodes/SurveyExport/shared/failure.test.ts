import { createRecordTreatment, outside, render, SurveyExportError, say } from "@survey-export/core";
import type { INode } from "n8n-workflow";
import { expect, test } from "vitest";
import { explain, nodeErrorOf } from "../../../../../n8n-node/nodes/SurveyExport/shared/failure.ts";

const explained = (error: SurveyExportError) => {
  const { message, description } = explain(error);
  return { message: render(message), description: render(description) };
};

test("advice is given once, in the words of the editor", () => {
  expect(explained(SurveyExportError.from(new Error("x is not a function")))).toEqual({
    message: "Something unexpected happened in this node",
    description:
      'Please report it with these details. An unexpected error stopped the read: "x is not a function".',
  });
});

test("the reason of a defect does not pass the treatment of personal data", () => {
  const { description } = explain(SurveyExportError.from(new Error("Wilma (w@mail.example) is odd. Go on")));
  const { messages: treatment } = createRecordTreatment({ free_text: "omit" }, String);
  expect(render(description, { treatment })).toBe(
    'Please report it with these details. An unexpected error stopped the read: "…".',
  );
});

test("a request that was not sent is neither a wrong address nor a slow service", () => {
  const error = new SurveyExportError("transient", "not_sent", say`The request was not sent within 20 s.`);
  expect(explained(error)).toEqual({
    message: "This n8n's own requests use up the workspace's rate limit",
    description: "The request was not sent. Try again in a minute.",
  });
});

test("facts of the core are shown without its advice, which names settings of the other adapter", () => {
  const facts = say`The request to the service failed (reset).`;
  const advice = say`Check that base_url is right and that the service can be reached from here.`;
  const error = new SurveyExportError("transient", "no_answer", facts, { advice });
  expect(explained(error.adding(say`This was tried 4 times in 7 s.`)).description).toBe(
    "Check that the credential's Base URL is the service's address up to and including /v2. The request to the service failed (reset). This was tried 4 times in 7 s.",
  );
});

test("a connection that waiting does not help is explained by the core, with its advice", () => {
  const facts = say`The service's certificate has expired.`;
  const advice = say`Check this machine's clock; if it is right, tell the service.`;
  const error = new SurveyExportError("config", "no_answer", facts, { advice });
  expect(explained(error)).toEqual({
    message: "Could not connect to the service",
    description:
      "The service's certificate has expired. Check this machine's clock; if it is right, tell the service.",
  });
});

test("an error that nobody said how to render does not compile, and quotes nothing from outside", () => {
  const answer = say`${outside("Authorization: Basic 1234")}`;
  const error = new SurveyExportError("config", "rejected", answer, { status: 400, answer });
  // @ts-expect-error
  expect(nodeErrorOf({} as INode, error).description).toBe(
    'Check the ID, the times and the attribute names. The service answered with status 400: "…".',
  );
});
