import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FIELDS } from "@survey-export/core";

/*
 * The schemas that n8n shows before a node has run: the fields of each resource and of the trigger. They follow from the streams' schemas and the node's own names. Columns of answers and
 * attributes are not among them, since each survey has its own.
 */

type Schema = { readonly type?: unknown; readonly properties?: Readonly<Record<string, Schema>> };

const root = join(import.meta.dirname, "..");
const streams = join(import.meta.dirname, "../../schemas/streams");
const folder = "nodes/SurveyExport/__schema__";

/** The schema files by path below the package. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const stream = (name: string): Record<string, Schema> =>
    JSON.parse(readFileSync(join(streams, `${name}.json`), "utf8")).properties;
  const files = new Map<string, string>();
  const add = (path: string, properties: Record<string, unknown>): void => {
    const schema = { type: "object", properties, version: 1 };
    files.set(join(folder, `${path}.json`), `${JSON.stringify(schema, null, "\t")}\n`);
  };

  const responses = { surveyResponse: "survey_responses", respondentResponse: "respondent_responses" };
  for (const [resource, name] of Object.entries(responses)) {
    const { uuid, ...fields } = stream(name);
    const of = (names: readonly string[]) =>
      Object.fromEntries(
        names.map((field) => [field, plain(field === "response_uuid" ? uuid : fields[field])]),
      );
    add(`v1.0.0/${resource}/getAll`, of(FIELDS));
    if (resource !== "surveyResponse") continue;
    add("v1.0.0", of(FIELDS));
  }

  const { respondent_uuid, id, name, value } = stream("respondent_attributes");
  const pair = { name: plain(name), value: plain(value) };
  add("v1.0.0/respondentAttribute/getAll", {
    respondent_uuid: plain(respondent_uuid),
    attribute_id: plain(id),
    ...pair,
  });
  return files;
}

/** n8n takes one type for each field, and knows no null beside another. */
function plain(schema: Schema | undefined): { readonly type: string } {
  const type = [schema?.type].flat().find((one) => one !== "null");
  return { type: String(type === "integer" ? "number" : type) };
}

if (import.meta.main) {
  for (const [path, text] of schemaFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
