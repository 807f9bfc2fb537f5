import { STREAMS, type StreamDefinition } from "../../connector/core/index.ts";

/** The streams with their columns and keys, in Mermaid's words, from their definitions. */
export function streamDiagram(): string {
  const streams = Object.values(STREAMS).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const entities = streams.map(({ name, columns, primaryKey }) =>
    entity(
      name,
      Object.entries(columns).map(([column, { type, format }]) => {
        const types = [type].flat().filter((one) => one !== "null");
        const key = primaryKey.includes(column) ? " PK" : "";
        return `${format === undefined ? types.join("_or_") : "timestamp"} ${column}${key}`;
      }),
    ),
  );
  return diagram([...entities, ...streams.flatMap(relationsOf)]);
}

/**
 * What the columns of a stream join. A column that is the whole primary key stands for one record at most. Streams that
 * read the same lists have the same responses.
 */
function relationsOf(stream: StreamDefinition): string[] {
  return Object.entries(stream.columns).flatMap(([column, { joins }]) => {
    if (joins === undefined) return [];
    const [name, field = ""] = joins.split(".");
    const other = STREAMS[name as keyof typeof STREAMS];
    const isOne = ({ primaryKey }: StreamDefinition, key: string) => primaryKey.join() === key;
    const left = isOne(stream, column) ? "|o" : "}o";
    const right = !isOne(other, field) ? "o{" : stream.reads === other.reads ? "||" : "o|";
    const label = column === field ? field : `${column} = ${field}`;
    return [`${stream.name} ${left}--${right} ${other.name} : "${label}"`];
  });
}

const entity = (name: string, rows: readonly string[]): string =>
  [`${name} {`, ...rows.map((row) => `    ${row}`), "}"].join("\n");

const diagram = (parts: readonly string[]): string =>
  `\`\`\`mermaid\nerDiagram\n${parts.join("\n").replace(/^/gm, "    ")}\n\`\`\`\n`;
