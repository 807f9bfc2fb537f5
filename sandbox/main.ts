import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DIALECTS, type DialectName } from "./choices.ts";
import { exampleCompany } from "./data/company.ts";
import { greeting } from "./greeting.ts";
import { exampleSurveys } from "./options.ts";
import { cannotWrite, writeReadyFiles } from "./ready-files.ts";
import { startSandbox } from "./server/server.ts";

/** The command's arguments, checked. */
interface SandboxArguments {
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

const BUILT_SOURCE = fileURLToPath(new URL("../dist/source-survey-export.js", import.meta.url));

/** A wrong argument. Its message is one sentence for the user. */
class ArgumentError extends Error {}

const HELP_TEXT = `Keeps a survey service running on this machine, for trying the source and for tests.

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
function readArguments(args: readonly string[]): SandboxArguments {
  const values = parsed(args);
  const dialect = values.dialect ?? "standard";
  if (!isDialect(dialect)) {
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
    dialect,
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
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArgumentError(`${why.replace(/(\. |\.?\n|\.$).*$/s, "")}; --help lists what there is.`);
  }
}

const isDialect = (name: string): name is DialectName => Object.hasOwn(DIALECTS, name);

function whole(text: string | undefined, name: string, otherwise: number, low: number, high: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < low || number > high) {
    throw new ArgumentError(`${name} is "${text}"; give a whole number from ${low} to ${high}.`);
  }
  return number;
}

/** Serves until a signal comes. Exit code 2: wrong arguments. Exit code 1: any other failure. */
async function main(args: readonly string[]): Promise<void> {
  const asked = readArguments(args);
  if (asked.help) {
    process.stdout.write(HELP_TEXT);
    return;
  }
  const sandbox = await startSandbox({
    port: asked.port,
    seed: asked.seed,
    ...(asked.company
      ? exampleCompany()
      : { surveys: exampleSurveys(asked.responses, asked.seed, asked.surveys) }),
    latencyMs: asked.latencyMs,
    limits: { perMinute: asked.requestsPerMinute },
    choices: DIALECTS[asked.dialect],
  });
  let closing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (closing) process.exit(0);
      closing = true;
      void sandbox.close();
    });
  }
  const files = await writeReadyFiles(sandbox, asked.out, asked.source).catch((thrown: unknown) => {
    const advice = "Make it writable for this user, or name another one with --out.";
    throw new Error(`${cannotWrite(asked.out, thrown)} ${advice}`, { cause: thrown });
  });
  process.stdout.write(greeting(sandbox, files, asked.requestsPerMinute));
}

try {
  await main(process.argv.slice(2));
} catch (thrown) {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  process.stderr.write(`${reason}\n`);
  process.exit(thrown instanceof ArgumentError ? 2 : 1);
}
