import { createRecordTreatment, SurveyExportError } from "@survey-export/core";
import { expect, test } from "vitest";
import { explain } from "../../../n8n-node/nodes/SurveyExport/explanation.ts";

test("advice is given once, in the words of the editor", () => {
  expect(explain(SurveyExportError.from(new Error("x is not a function")))).toEqual({
    message: "Something unexpected happened in this node",
    description:
      "Please report it with these details. An unexpected error stopped the read: x is not a function.",
  });
});

test("the reason of a defect does not pass the treatment of personal data", () => {
  const { description } = explain(SurveyExportError.from(new Error("Wilma (w@mail.example) is odd. Go on")));
  const { message } = createRecordTreatment({ free_text: "omit" }, String);
  expect(message(description, [])).toBe(
    "Please report it with these details. An unexpected error stopped the read: ….",
  );
});

test("a request that was not sent is neither a wrong address nor a slow service", () => {
  const error = new SurveyExportError("transient", "not_sent", "The request was not sent within 20 s.");
  expect(explain(error)).toEqual({
    message: "This n8n's own requests use up the workspace's rate limit",
    description: "The request was not sent. Try again in a minute.",
  });
});

test("facts of the core are shown without its advice, which names settings of the other adapter", () => {
  const error = new SurveyExportError(
    "transient",
    "no_answer",
    "The request to the service failed (reset).",
    {
      advice: "Check that base_url is right and that the service can be reached from here.",
    },
  ).adding("This was tried 4 times in 7 s.");
  expect(explain(error).description).toBe(
    "Check that the credential's Base URL is right and can be reached from n8n. The request to the service failed (reset). This was tried 4 times in 7 s.",
  );
});
