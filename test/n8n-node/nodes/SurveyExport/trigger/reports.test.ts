import { render, SurveyExportError, say } from "@survey-export/core";
import type { INode, IPollFunctions } from "n8n-workflow";
import { NodeOperationError } from "n8n-workflow";
import { expect, test } from "vitest";
import type { Connection } from "../../../../../n8n-node/nodes/SurveyExport/shared/connect.ts";
import { failureOf, report } from "../../../../../n8n-node/nodes/SurveyExport/trigger/reports.ts";

/** A node, and what is reported of it. */
function nodeWithReports() {
  const reported: unknown[] = [];
  const node = { id: crypto.randomUUID() } as INode;
  const context = {
    getNode: () => node,
    getWorkflow: () => ({ id: "workflow" }),
    __emitError: (error: Error) => reported.push(error.message),
  } as unknown as IPollFunctions;
  return { reported, node, context };
}

test("surveys that fail in turn, from poll to poll, are reported once each", () => {
  const { reported, context } = nodeWithReports();
  const connection = { render, listed: new Map() } as unknown as Connection;
  const history = { hasWorked: true, wasThere: () => true };
  const silent = new SurveyExportError("transient", "no_answer", say`no answer`);
  const polls = [["a", "b"], ["b", "c"], ["c", "a"], ["a", "b", "c"], ["b"]];
  for (const ids of polls)
    report(context, failureOf(context, new Map(ids.map((id) => [id, silent])), connection, history));
  expect(reported).toHaveLength(2);
});

test.each([
  ["not_found", 'Survey "a" was not found', 'These surveys could not be read either: "b".'],
  ["no_answer", "The service did not answer", 'Not read: "a", "b".'],
  ["invalid_configuration", "No.", 'Not read: "a", "b".'],
] as const)(
  "every survey that failed is named, whatever the first one failed for (%s)",
  (code, message, named) => {
    const { context } = nodeWithReports();
    const connection = { render, listed: new Map() } as unknown as Connection;
    const error = new SurveyExportError("config", code, say`No.`, { advice: say`Look.` });
    const why = code === "no_answer" ? new SurveyExportError("transient", code, say`No.`) : error;
    const failures = new Map(["a", "b"].map((id) => [id, why]));
    const said = failureOf(context, failures, connection, { hasWorked: true, wasThere: () => false })!;
    expect(said.message).toBe(message);
    expect(said.description?.endsWith(named)).toBe(true);
  },
);

test("an error is reported once while it lasts, however long it was tried", () => {
  const { reported, node, context } = nodeWithReports();
  const tell = (message: string, tookS: number) =>
    report(
      context,
      new NodeOperationError(node, message, { description: `This was tried 3 times in ${tookS} s.` }),
    );
  for (const tookS of [3, 4, 12]) tell("The service is not available", tookS);
  tell("The service refuses access", 3);
  report(context, undefined);
  tell("The service refuses access", 3);
  expect(reported).toEqual([
    "The service is not available",
    ...["The service refuses access", "The service refuses access"],
  ]);
});
