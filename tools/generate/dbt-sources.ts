import { parse, Scalar, stringify } from "yaml";
import { STREAMS, type StreamDefinition } from "../../connector/core/index.ts";

type Column = StreamDefinition["columns"][string];
interface Table {
  readonly name: string;
}

/** The words for types that the descriptions of the models use. */
const DATA_TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "bigint",
  number: "number",
  boolean: "boolean",
  object: "json",
  array: "json",
};

/**
 * The dbt package's sources, with the description and the columns of each table as its stream defines them. Everything
 * else stays as it is.
 * @throws Error if a table is no stream's
 */
export function withDescriptions(sources: string): string {
  const [head = "", list = ""] = sources.split(/(?<=\n {4}tables:\n)/);
  const tables = (parse(list) as readonly Table[]).map(described);
  return head + stringify(tables, { lineWidth: 110 }).replaceAll(/^(?=.)/gm, " ".repeat(6));
}

function described({ name, ...table }: Table) {
  const stream = Object.values(STREAMS).find((one) => one.name === name);
  if (stream === undefined) throw new Error(`${name} is a table of the dbt package, and no stream.`);
  const columns = Object.entries(stream.columns).map(([column, definition]) => ({
    name: column,
    data_type: dataTypeOf(definition),
    description: folded(definition.description),
  }));
  return { name, ...table, description: folded(String(stream.schema.description)), columns };
}

function dataTypeOf({ type, format }: Column): string | undefined {
  if (format === "date-time") return "timestamp";
  return DATA_TYPES[[type].flat().find((one) => one !== "null")!];
}

function folded(text: string): Scalar<string> {
  const scalar = new Scalar(text);
  scalar.type = "BLOCK_FOLDED";
  return scalar;
}
