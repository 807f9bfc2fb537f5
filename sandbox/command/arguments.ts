import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DIALECTS, type DialectName } from "../dialects.ts";

/** The command's arguments, checked. */
export interface SandboxArguments {
  readonly help: boolean;
  readonly port: number;
  readonly seed: number;
  /** Of each survey. */
  readonly responses: number;
  readonly surveys: number;
  /** Serves the made-up company of `docs/questions.md` instead. */
  readonly company: boolean;
  readonly latencyMs: number;
  /** False: without a limit. */
  readonly requestsPerMinute: number | false;
  readonly dialect: DialectName;
  /** Folder for the ready files. */
  readonly out: string;
  /** The source whose streams go into the ready catalog. */
  readonly source: string;
}

const BUILT_SOURCE = fileURLToPath(new URL("../../dist/source-survey-export.js", import.meta.url));

/** A wrong argument. Its message is one sentence for the user. */
export class ArgumentError extends Error {}

export const HELP_TEXT = `Keeps a survey service running on this machine, for trying the source and for tests.

  npm run sandbox -- [options]

  --port <number>        port to listen on            (default 0: a free one)
  --seed <number>        same seed, same data         (default 1)
  --responses <number>   responses of each survey     (default 500)
  --surveys <number>     how many surveys, 1 to 100   (default 3)
  --company              the made-up company of docs/questions.md instead: three surveys
  --latency-ms <number>  how long each answer takes   (default 0)
  --requests-per-minute <number>
                         the service's limit, 0 for none (default 1000)
  --dialect <name>       ${Object.keys(DIALECTS).join(", ")} (default standard)
  --out <folder>         where the ready files go     (default .survey-export)
  --source <file>        program whose streams go into the catalog
                         (default dist/source-survey-export.js)
  --help                 this text
`;

/** Parses the command's arguments. Throws an `ArgumentError` if one is wrong. */
export function readArguments(args: readonly string[]): SandboxArguments {
  const values = parsed(args);
  const dialect = values.dialect ?? "standard";
  if (!Object.hasOwn(DIALECTS, dialect)) {
    throw new ArgumentError(
      `There is no dialect "${dialect}"; choose one of ${Object.keys(DIALECTS).join(", ")}.`,
    );
  }
  const company = values.company ?? false;
  const generates = (["seed", "responses", "surveys"] as const).find((name) => values[name] !== undefined);
  if (company && generates !== undefined) {
    throw new ArgumentError(`--company has its own surveys and responses; leave out --${generates}.`);
  }
  return {
    help: values.help ?? false,
    port: whole(values.port, "--port", 0, 0, 65_535),
    seed: whole(values.seed, "--seed", 1, 0, 1_000_000),
    responses: whole(values.responses, "--responses", 500, 0, 10_000_000),
    surveys: whole(values.surveys, "--surveys", 3, 1, 100),
    company,
    latencyMs: whole(values["latency-ms"], "--latency-ms", 0, 0, 600_000),
    requestsPerMinute:
      whole(values["requests-per-minute"], "--requests-per-minute", 1_000, 0, 1_000_000) || false,
    dialect: dialect as DialectName,
    out: values.out ?? ".survey-export",
    source: values.source ?? BUILT_SOURCE,
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
        company: { type: "boolean" },
        "latency-ms": text,
        dialect: text,
        "requests-per-minute": text,
        out: text,
        source: text,
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
