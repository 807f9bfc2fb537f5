import { parseArgs } from "node:util";
import { DIALECTS, type DialectName } from "../dialects.ts";

/** What the command was asked to do. */
export interface SandboxArguments {
  readonly help: boolean;
  readonly port: number;
  readonly seed: number;
  /** Of each survey. */
  readonly responses: number;
  readonly surveys: number;
  readonly latencyMs: number;
  readonly dialect: DialectName;
  /** Folder for the ready files. */
  readonly out: string;
}

/** An argument that cannot be meant; its message is one sentence for the user. */
export class ArgumentError extends Error {}

export const helpText = `Keeps a survey service running on this machine, for trying the source and for tests.

  npm run sandbox -- [options]

  --port <number>        port to listen on            (default 0: a free one)
  --seed <number>        same seed, same data         (default 1)
  --responses <number>   responses of each survey     (default 500)
  --surveys <number>     how many surveys, 1 to 100   (default 3)
  --latency-ms <number>  how long each answer takes   (default 0)
  --dialect <name>       ${Object.keys(DIALECTS).join(", ")} (default standard)
  --out <folder>         where the ready files go     (default .survey-export)
  --help                 this text
`;

/** Reads the command's arguments; throws an `ArgumentError` for what it does not understand. */
export function readArguments(args: readonly string[]): SandboxArguments {
  const values = parsed(args);
  const dialect = values.dialect ?? "standard";
  if (!Object.hasOwn(DIALECTS, dialect)) {
    throw new ArgumentError(
      `There is no dialect "${dialect}"; choose one of ${Object.keys(DIALECTS).join(", ")}.`,
    );
  }
  return {
    help: values.help ?? false,
    port: whole(values.port, "--port", 0, 0, 65_535),
    seed: whole(values.seed, "--seed", 1, 0, 1_000_000),
    responses: whole(values.responses, "--responses", 500, 0, 10_000_000),
    surveys: whole(values.surveys, "--surveys", 3, 1, 100),
    latencyMs: whole(values["latency-ms"], "--latency-ms", 0, 0, 600_000),
    dialect: dialect as DialectName,
    out: values.out ?? ".survey-export",
  };
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: text,
        seed: text,
        responses: text,
        surveys: text,
        "latency-ms": text,
        dialect: text,
        out: text,
        help: { type: "boolean" },
      },
    }).values;
  } catch (thrown) {
    const why =
      thrown instanceof Error ? thrown.message.split(/\. |\n/)[0]!.replace(/\.$/, "") : String(thrown);
    throw new ArgumentError(`${why}; --help lists what there is.`);
  }
}

function whole(text: string | undefined, name: string, otherwise: number, low: number, high: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < low || number > high) {
    throw new ArgumentError(`${name} is "${text}"; give a whole number from ${low} to ${high}.`);
  }
  return number;
}
