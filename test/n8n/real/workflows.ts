import type { IDataObject, INodeParameters } from "n8n-workflow";

export const CREDENTIAL = { id: "surveyexport1", name: "Survey Export account" };

const node = (id: string, name: string, type: string, x: number, parameters: INodeParameters) => ({
  id,
  name,
  type,
  typeVersion: 1,
  position: [x, 0],
  parameters,
  ...(type.startsWith("n8n-nodes-survey-export.") ? { credentials: { surveyExportApi: CREDENTIAL } } : {}),
});

const connect = (...names: readonly string[]) =>
  Object.fromEntries(
    names.slice(1).map((name, place) => [names[place], { main: [[{ node: name, type: "main", index: 0 }]] }]),
  );

/** Start → Survey Export. */
export function getManyWorkflow(id: string, parameters: INodeParameters) {
  return {
    id,
    name: id,
    active: false,
    settings: { executionOrder: "v1" },
    nodes: [
      node("start", "Start", "n8n-nodes-base.manualTrigger", 0, {}),
      node("export", "Survey Export", "n8n-nodes-survey-export.surveyExport", 250, {
        operation: "getAll",
        ...parameters,
      }),
    ],
    connections: connect("Start", "Survey Export"),
  };
}

/** Survey Export Trigger → No Operation, polled every minute. */
export function triggerWorkflow(name: string, parameters: INodeParameters, credential: IDataObject) {
  const trigger = node("trigger", "New Response", "n8n-nodes-survey-export.surveyExportTrigger", 0, {
    pollTimes: { item: [{ mode: "everyMinute" }] },
    event: "surveyResponse",
    ...parameters,
  });
  return {
    name,
    settings: { executionOrder: "v1" },
    nodes: [
      { ...trigger, credentials: { surveyExportApi: credential } },
      node("after", "After", "n8n-nodes-base.noOp", 250, {}),
    ],
    connections: connect("New Response", "After"),
  };
}

/** Schedule → Survey Export → No Operation; kept only when it fails. */
export function largeRunWorkflow(parameters: INodeParameters, credential: IDataObject) {
  const get = node("export", "Survey Export", "n8n-nodes-survey-export.surveyExport", 250, {
    resource: "surveyResponse",
    operation: "getAll",
    ...parameters,
  });
  return {
    name: "A large run",
    settings: { executionOrder: "v1", saveDataSuccessExecution: "none", saveDataErrorExecution: "all" },
    nodes: [
      node("schedule", "Schedule", "n8n-nodes-base.scheduleTrigger", 0, {
        rule: { interval: [{ field: "seconds", secondsInterval: 5 }] },
      }),
      { ...get, credentials: { surveyExportApi: credential } },
      node("after", "After", "n8n-nodes-base.noOp", 500, {}),
    ],
    connections: connect("Schedule", "Survey Export", "After"),
  };
}

/** A node of a workflow, and the nodes whose items it takes: by name, in the order of its inputs. */
export interface Step {
  readonly type: string;
  readonly typeVersion: number;
  readonly parameters: INodeParameters;
  readonly after: readonly string[];
}

export const surveyExport = (parameters: INodeParameters, after: readonly string[]): Step => ({
  type: "n8n-nodes-survey-export.surveyExport",
  typeVersion: 1,
  parameters: { operation: "getAll", ...parameters },
  after,
});

/** A workflow that begins by hand at the node "Start". */
export function workflowOf(name: string, steps: Readonly<Record<string, Step>>, credential: IDataObject) {
  const connections: Record<string, { main: [{ node: string; type: "main"; index: number }[]] }> = {};
  for (const [name, { after }] of Object.entries(steps)) {
    for (const [index, source] of after.entries()) {
      connections[source] ??= { main: [[]] };
      connections[source].main[0].push({ node: name, type: "main", index });
    }
  }
  return {
    name,
    settings: { executionOrder: "v1" },
    nodes: [
      node("start", "Start", "n8n-nodes-base.manualTrigger", 0, {}),
      ...Object.entries(steps).map(([name, { type, typeVersion, parameters }], place) => ({
        ...node(`step-${place}`, name, type, 250 * (place + 1), parameters),
        typeVersion,
        ...(type.startsWith("n8n-nodes-survey-export.")
          ? { credentials: { surveyExportApi: credential } }
          : {}),
      })),
    ],
    connections,
  };
}

/** Webhook → Survey Export: each call of the webhook is an execution. */
export function webhookWorkflow(
  name: string,
  path: string,
  parameters: INodeParameters,
  credential: IDataObject,
) {
  const webhook = node("webhook", "Webhook", "n8n-nodes-base.webhook", 0, {
    httpMethod: "POST",
    path,
    responseMode: "onReceived",
  });
  const get = node("export", "Survey Export", "n8n-nodes-survey-export.surveyExport", 250, {
    resource: "surveyResponse",
    operation: "getAll",
    ...parameters,
  });
  return {
    name,
    settings: { executionOrder: "v1" },
    nodes: [
      { ...webhook, typeVersion: 2, webhookId: path },
      { ...get, credentials: { surveyExportApi: credential } },
    ],
    connections: connect("Webhook", "Survey Export"),
  };
}
