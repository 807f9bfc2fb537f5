import type { FileOption } from "./node/input-file.ts";
import { nearestName } from "./node/nearest-name.ts";
import { parseSince } from "./node/since.ts";

export const USAGE = `Usage:
  source-survey-export sync     FILE [--config FILE] [--streams NAMES] [--dry-run]
  source-survey-export report   FILE [--since DATE] [--survey ID]... [--texts]
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

/** What a command takes. `needs`: files without which it does nothing. */
interface Command {
  readonly needs?: readonly FileOption[];
  readonly takes?: readonly Option[];
  readonly flags?: readonly Flag[];
  /** Whether a database stands after the command. */
  readonly hasTarget?: boolean;
}

type Flag = "dry-run" | "texts";

/** Options that have names or ids, with commas between them. */
type ListOption = "streams" | "survey";
type Option = FileOption | ListOption | "since";

/** May be given several times. */
const REPEATED: ReadonlySet<Option> = new Set<Option>(["survey"]);

const COMMANDS: Readonly<Record<string, Command>> = {
  sync: { takes: ["config", "streams"], flags: ["dry-run"], hasTarget: true },
  report: { takes: ["since", "survey"], flags: ["texts"], hasTarget: true },
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
  /** The database of `sync` and `report`. */
  readonly target: string;
  readonly flags: ReadonlySet<Flag>;
  /** A date or a time in UTC, as it was given: a report begins there. */
  readonly since: string | undefined;
  /** The surveys of a report; none for all. */
  readonly surveyIds: readonly string[];
}

/** The words after a command, by what they are. */
interface Words {
  readonly values: Readonly<Record<string, readonly string[] | undefined>>;
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
  /** The list that a space seems to have ended. */
  readonly brokenList: ListOption | undefined;
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
  const parsed = parseWords(rest, found);
  if (typeof parsed === "string") return `${command}: ${parsed}`;
  const problem = problemOf(parsed, found, hasKey);
  if (problem !== undefined) return `${command}${problem}`;
  const { values, flags, positionals } = parsed;
  const [since] = values.since ?? [];
  if (since !== undefined && parseSince(since) === undefined)
    return `${command}: --since is not a date. Write it like 2026-01-31, or in UTC with its time, like 2026-01-31T09:00:00Z.`;
  return {
    command,
    files: { config: values.config?.[0], catalog: values.catalog?.[0], state: values.state?.[0] },
    streams: values.streams && namesIn(values.streams),
    target: positionals[0] ?? "",
    flags: flags as ReadonlySet<Flag>,
    since,
    surveyIds: namesIn(values.survey ?? []),
  };
}

const namesIn = (lists: readonly string[]): string[] =>
  lists.flatMap((list) => list.split(",").map((name) => name.trim()));

/** The words, or what is not understood of them. */
function parseWords(words: readonly string[], { needs = [], takes = [], flags = [], hasTarget }: Command) {
  const named: readonly Option[] = [...needs, ...takes];
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...words],
      allowPositionals: true,
      tokens: true,
      options: {
        ...Object.fromEntries(named.map((name) => [name, { type: "string", multiple: true } as const])),
        ...Object.fromEntries(flags.map((name) => [name, { type: "boolean" } as const])),
      },
    });
    const parsed: Words = {
      values: values as Readonly<Record<string, string[] | undefined>>,
      flags: new Set(flags.filter((name) => values[name] === true)),
      positionals,
      brokenList: brokenList(tokens, hasTarget === true ? 1 : 0),
    };
    return parsed;
  } catch (thrown) {
    const [, option = ""] = /'-*([^' ]*)/.exec((thrown as Error).message) ?? [];
    return notUnderstood(meant(option, [...named, ...flags], "--"));
  }
}

const notUnderstood = (guess = ""): string =>
  `an argument is not understood.${guess || " Give files by their paths."}`;

type Token = ReturnType<typeof parseArgs>["tokens"] extends readonly (infer Each)[] | undefined
  ? Each
  : never;

/**
 * The list that a space has ended: a word too many follows it, or a comma stands at the space. `wanted`: how many words a
 * command takes that are no options.
 */
function brokenList(tokens: readonly Token[], wanted: number): ListOption | undefined {
  let words = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "positional") continue;
    words++;
    const before = tokens[at - 1];
    if (before?.kind !== "option" || !isList(before.name)) continue;
    const isAtComma = before.value?.endsWith(",") === true || token.value.startsWith(",");
    if (isAtComma || words > wanted) return before.name;
  }
  return undefined;
}

const isList = (name: string): name is ListOption => name === "streams" || name === "survey";

/** What is wrong with words that are understood, as the rest of a sentence that begins with the command. */
function problemOf(
  { values, positionals, brokenList: list }: Words,
  { needs = [], takes = [], hasTarget = false }: Command,
  hasKey: boolean,
): string | undefined {
  const twice = [...needs, ...takes].find((name) => !REPEATED.has(name) && (values[name]?.length ?? 0) > 1);
  if (twice !== undefined) return `: --${twice} is given more than once. Give one.`;
  if (list !== undefined)
    return `: a space ended the list of --${list}. Write it without spaces: --${list} ${list === "survey" ? "ID,ID" : "NAME,NAME"}`;
  if (values.catalog && values.streams)
    return ": --catalog and --streams both say which streams to read. Give one of the two.";
  const isNeeded = (name: FileOption): boolean =>
    !(name === "config" && hasKey) && !(name === "catalog" && values.streams?.[0]);
  const missing = needs.filter((name) => isNeeded(name) && !values[name]?.[0]);
  if (missing.length > 0) return ` needs ${missing.map((name) => `--${name} FILE`).join(" and ")}.`;
  if (hasTarget && (positionals.length !== 1 || positionals[0] === "")) return " needs one FILE.";
  if (!hasTarget && positionals.length > 0) return `: ${notUnderstood()}`;
  return undefined;
}

/** The known name that a misspelt one resembles, as a question. */
function meant(word: string, known: readonly string[], start = ""): string {
  const name = nearestName(word, known);
  return name === undefined || name === word ? "" : ` Did you mean ${start}${name}?`;
}
