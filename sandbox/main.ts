import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { writeConfiguration } from "./configuration-file.ts";
import { exampleCompany } from "./data/company.ts";
import { exampleSurveys } from "./data/example-surveys.ts";
import { DIALECTS } from "./dialects.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "./server/server.ts";

const DIALECT_NAMES = DIALECTS.join(", ");
const HELP_TEXT = `Keeps a survey service running on this machine, for trying the source and for tests.

  npm run sandbox -- [options]

  --port <number>        port to listen on            (default 0: a free one)
  --responses <number>   responses of each survey     (default 500); a disabled one has 10, a draft none
  --company              the made-up company of docs/questions.md instead
  --dialect <name>       ${DIALECT_NAMES}
                         (default as_recorded)
  --out <folder>         where the configuration goes (default .survey-export)
  --help                 this text
`;

/** A wrong argument. Its message is one sentence for the user. */
class ArgumentError extends Error {}

/** What to serve, and the folder for the configuration. Undefined: help is asked for. */
function readArguments(args: readonly string[]): { options: SandboxOptions; out: string } | undefined {
  const values = parsed(args);
  if (values.help) return undefined;
  const { dialect: named = "as_recorded" } = values;
  const dialect = DIALECTS.find((name) => name === named);
  if (dialect === undefined) {
    throw new ArgumentError(`There is no dialect "${named}"; choose one of ${DIALECT_NAMES}.`);
  }
  if (values.company && values.responses !== undefined) {
    throw new ArgumentError("--company has its own responses; omit --responses.");
  }
  const responses = whole(values.responses, "--responses", 500, 0, 1_000_000);
  const options = {
    port: whole(values.port, "--port", 0, 0, 65_535),
    ...(values.company ? exampleCompany() : { surveys: exampleSurveys(responses, 1, undefined, Date.now()) }),
    dialect,
  };
  return { options, out: values.out ?? ".survey-export" };
}

function parsed(args: readonly string[]) {
  const [text, flag] = [{ type: "string" } as const, { type: "boolean" } as const];
  const texts = { port: text, responses: text, dialect: text, out: text };
  try {
    return parseArgs({ args: [...args], options: { ...texts, company: flag, help: flag } }).values;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArgumentError(`${why.replace(/(\. |\.?\n|\.$).*$/s, "")}; --help lists what there is.`);
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

/** What the command prints when the service is up: its data, and commands to try. */
function greeting({ url, apiKey, service }: Sandbox, config: string): string {
  const { concurrent, perMinute } = service.load;
  const counts = service.surveys.map(({ name, count }) => `${name} (${count} responses)`);
  const target = join(dirname(config), "surveys.sqlite");
  return `The sandbox is serving. Stop it with Ctrl-C. Its page shows the requests as they arrive, and has buttons
that let people answer, delete somebody, and switch faults on.

  page         ${new URL("/", url).href}
  address      ${url}
  key          ${apiKey}
  surveys      ${counts.join(", ")}

Run the source against it, in another terminal:

  npx . check --config ${config}
  npx . sync ${target}
  npx . report ${target}

Let three people answer, and read what is new:

  curl -X POST "${new URL("/sandbox/collect", url).href}?survey_id=${service.surveys[0]?.id}&count=3"
  npx . sync ${target}

Like the real service, the sandbox allows ${concurrent} requests at once and ${perMinute} a minute.
`;
}

/** Serves until a signal comes. Exit code 2: wrong arguments. Exit code 1: any other failure. */
async function main(args: readonly string[]): Promise<void> {
  const asked = readArguments(args);
  if (asked === undefined) {
    process.stdout.write(HELP_TEXT);
    return;
  }
  const sandbox = await startSandbox(asked.options);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
  process.stdout.write(greeting(sandbox, await writeConfiguration(sandbox, asked.out)));
}

try {
  await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exit(thrown instanceof ArgumentError ? 2 : 1);
}
