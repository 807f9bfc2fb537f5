import type { FileOption } from "./node/input-file.ts";

/** An `import` of one of Node's modules reads all that it exports, which loads two dozen others: `spec` needs none. */
const { parseArgs } = process.getBuiltinModule("node:util");

/** The files that each command needs. `read` may be given a state, too, and `sync` needs a folder. */
const COMMANDS: Readonly<Record<string, readonly FileOption[]>> = {
  spec: [],
  check: ["config"],
  discover: ["config"],
  read: ["config", "catalog"],
  catalog: ["config"],
  sync: [],
};

export interface Call {
  readonly command: string;
  readonly files: Readonly<Partial<Record<FileOption, string>>>;
  readonly folder?: string | undefined;
}

/** The call, or what is wrong with it. Nothing quotes an argument, since it may be the key. */
export function parseCall(words: readonly string[]): Call | string {
  const [command = "", ...rest] = words;
  const needs = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (command === "") return "no command was given.";
  if (!needs) return "there is no such command.";
  const takes: readonly FileOption[] = command === "read" ? [...needs, "state"] : needs;
  const takesFolder = command === "sync";
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      allowPositionals: takesFolder,
      options: Object.fromEntries(takes.map((name) => [name, { type: "string", multiple: true } as const])),
    });
    const twice = takes.find((name) => (values[name]?.length ?? 0) > 1);
    if (twice !== undefined) return `${command}: --${twice} is given more than once. Give one file.`;
    const missing = needs.filter((name) => !values[name]?.[0]);
    if (missing.length > 0)
      return `${command} needs ${missing.map((name) => `--${name} FILE`).join(" and ")}.`;
    const [folder = ""] = positionals;
    if (takesFolder && (positionals.length !== 1 || folder === "")) return `${command} needs one FOLDER.`;
    const files = Object.fromEntries(takes.map((name) => [name, values[name]?.[0]]));
    return { command, files, folder: takesFolder ? folder : undefined };
  } catch {
    return `${command}: an argument is not understood. Give files by their paths.`;
  }
}
