import type { INode, IPollFunctions } from "n8n-workflow";
import { NodeOperationError } from "n8n-workflow";
import { expect, test } from "vitest";
import { report } from "../../../../../n8n-node/nodes/SurveyExport/trigger/reports.ts";

test("an error is reported once while it lasts, however long it was tried", () => {
  const reported: unknown[] = [];
  const node = { id: crypto.randomUUID() } as INode;
  const context = {
    getNode: () => node,
    getWorkflow: () => ({ id: "workflow" }),
    __emitError: (error: Error) => reported.push(error.message),
  } as unknown as IPollFunctions;
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
