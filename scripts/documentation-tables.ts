import { readFile } from "node:fs/promises";

interface Field {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly airbyte_secret?: boolean;
  readonly airbyte_hidden?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Field>>;
  readonly items?: Field;
}

const root = new URL("../", import.meta.url);
const makers: Readonly<Record<string, (text: string) => string>> = {
  configuration: configurationTable,
  changelog: changelogTable,
};
const section = /(<!-- generated from (\S+): (\w+) -->\n).*?(<!-- end -->)/gs;

/**
 * A documentation page with the tables of fields between its `generated from` and `end` lines made from the
 * schemas and the changelog, so that everything is said once: where it is defined.
 */
export async function withTables(page: string): Promise<string> {
  const tables = new Map<string, string>();
  for (const [, , path = "", name = ""] of page.matchAll(section)) {
    const text = await readFile(new URL(path, root), "utf8");
    tables.set(name, (makers[name] ?? recordTable)(text));
  }
  return page.replace(section, (_, start, __, name, end) => `${start}\n${tables.get(name)}\n${end}`);
}

function configurationTable(text: string): string {
  const form: Field = JSON.parse(text);
  const rows = Object.entries(form.properties ?? {}).map(([name, field]) => [
    field.title ?? "",
    `\`${name}\``,
    form.required?.includes(name) ? "required" : field.default === undefined ? "" : `\`${field.default}\``,
    `${field.description}${notes(field)}`,
  ]);
  return table([["Field", "Name", "Default", "What it does"], ...rows]);
}

function notes(field: Field): string {
  const range = field.minimum === undefined ? "" : ` From ${field.minimum} to ${field.maximum}.`;
  const secret = field.airbyte_secret ? " Kept secret." : "";
  const hidden = field.airbyte_hidden ? " Not shown in the form; set it through Airbyte's API." : "";
  return range + secret + hidden;
}

function recordTable(text: string): string {
  const schema: Field = JSON.parse(text);
  return table([["Field", "Type", "What it holds"], ...rowsOf(schema, "")]);
}

/** A row for each released version with its date and the sentence under its heading. */
function changelogTable(text: string): string {
  const entries = text.matchAll(/^## (\S+) \((\S+)\)\n+([^\n]+)/gm);
  return table([["Version", "Date", "Subject"], ...[...entries].map(([, ...cells]) => cells)]);
}

/** A row for each field, then rows for what is inside it, with the path that leads there. */
function rowsOf(schema: Field, path: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}${name}`;
    const inside = field.items === undefined ? rowsOf(field, `${here}.`) : rowsOf(field.items, `${here}[].`);
    return [[`\`${here}\``, [field.type].flat().join(", "), field.description ?? ""], ...inside];
  });
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows.map(
    (row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
  );
  return `${[head, `| ${rows[0]?.map(() => "---").join(" | ")} |`, ...body].join("\n")}\n`;
}
