import type { FileOption } from "./node/input-file.ts";
import { nearestName } from "./node/nearest-name.ts";

export const USAGE = `Usage:
  source-survey-export sync     TARGET [--config FILE] [--streams NAMES] [--dry-run]
  source-survey-export report   FILE [--texts]
  source-survey-export spec
  source-survey-export check    --config FILE
  source-survey-export discover --config FILE
  source-survey-export read     --config FILE --catalog FILE [--state FILE]
  source-survey-export read     --config FILE --streams NAMES [--state FILE]
  source-survey-export catalog  [--streams NAMES]
  source-survey-export --help | --version
`;

/** An `import` of one of Node's modules reads all that it exports, which loads two dozen others: `spec` needs none. */
const { parseArgs } = process.getBuiltinModule("node:util");

/** What a command takes. `needs`: files without which it does nothing; `target`: what stands behind the command. */
interface Command {
  readonly needs?: readonly FileOption[];
  readonly takes?: readonly (FileOption | "streams")[];
  readonly flags?: readonly Flag[];
  readonly target?: string;
}

type Flag = "dry-run" | "texts";

const COMMANDS: Readonly<Record<string, Command>> = {
  sync: { takes: ["config", "streams"], flags: ["dry-run"], target: "TARGET" },
  report: { flags: ["texts"], target: "FILE" },
  spec: {},
  check: { needs: ["config"] },
  discover: { needs: ["config"] },
  read: { needs: ["config", "catalog"], takes: ["state", "streams"] },
  catalog: { takes: ["streams"] },
};

export interface Call {
  readonly command: string;
  readonly files: Readonly<Partial<Record<FileOption, string | undefined>>>;
  /** Names, not yet checked. */
  readonly streams: readonly string[] | undefined;
  /** The file or folder of `sync` and `report`. */
  readonly target: string;
  readonly flags: ReadonlySet<Flag>;
}

/**
 * The call, or what is wrong with it. Nothing quotes an argument, since it may be the key. `hasKey`: whether the environment
 * gives the key, so that no configuration is needed.
 */
export function parseCall(words: readonly string[], hasKey: boolean): Call | string {
  const [command = "", ...rest] = words;
  if (command === "") return "no command was given.";
  const found = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!found) return `there is no such command.${meant(command, Object.keys(COMMANDS))}`;
  const { needs = [], takes = [], flags = [], target } = found;
  const named = [...needs, ...takes];
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      allowPositionals: target !== undefined,
      options: {
        ...Object.fromEntries(named.map((name) => [name, { type: "string", multiple: true } as const])),
        ...Object.fromEntries(flags.map((name) => [name, { type: "boolean" } as const])),
      },
    });
    const given = values as Readonly<Record<string, string[] | undefined>>;
    const twice = named.find((name) => (given[name]?.length ?? 0) > 1);
    if (twice !== undefined) return `${command}: --${twice} is given more than once. Give one.`;
    const isNeeded = (name: FileOption): boolean =>
      !(name === "config" && hasKey) && !(name === "catalog" && given.streams?.[0]);
    const missing = needs.filter((name) => isNeeded(name) && !given[name]?.[0]);
    if (missing.length > 0)
      return `${command} needs ${missing.map((name) => `--${name} FILE`).join(" and ")}.`;
    if (target !== undefined && (positionals.length !== 1 || positionals[0] === ""))
      return `${command} needs one ${target}.`;
    return {
      command,
      files: { config: given.config?.[0], catalog: given.catalog?.[0], state: given.state?.[0] },
      streams: given.streams?.[0]?.split(",").map((name) => name.trim()),
      target: positionals[0] ?? "",
      flags: new Set(flags.filter((name) => values[name] === true)),
    };
  } catch (thrown) {
    const [, option = ""] = /'-*([^' ]*)/.exec((thrown as Error).message) ?? [];
    const guess = meant(option, [...named, ...flags], "--");
    return `${command}: an argument is not understood.${guess || " Give files by their paths."}`;
  }
}

/** The known name that a misspelt one resembles, as a question. */
function meant(word: string, known: readonly string[], start = ""): string {
  const name = nearestName(word, known);
  return name === undefined || name === word ? "" : ` Did you mean ${start}${name}?`;
}
