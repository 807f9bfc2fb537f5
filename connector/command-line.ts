import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { SurveyExportError } from "@survey-export/core/errors";
import packageJson from "../package.json" with { type: "json" };
import type { MakeHost } from "./airbyte/check.ts";
import { errorLine } from "./airbyte/messages.ts";
import type { Output } from "./airbyte/output.ts";
import { createStdout } from "./node/stdout.ts";
import { createStop, type Stop } from "./node/stop.ts";

/**
 * The commands, composed: arguments, files and the exit code here, everything else where it belongs. What a command
 * does not need is not loaded: `spec` must answer at once.
 */
const USAGE = `Usage:
  source-survey-export spec
  source-survey-export check    --config FILE
  source-survey-export discover --config FILE
  source-survey-export read     --config FILE --catalog FILE [--state FILE]
  source-survey-export --help | --version
`;

const HELP = `${USAGE}
Reads survey responses, respondents' responses and respondents' attributes from a
survey service's export interface, and writes them as Airbyte messages, one JSON
document a line, to standard output.

  --config FILE    the connection's settings, as "spec" describes them
  --catalog FILE   the streams to read: a configured catalog
  --state FILE     where the last run stopped: the STATE lines it wrote, or Airbyte's array

Exit code 0: done. 1: a stream or the whole run failed; the messages say why. 2: wrong arguments.
`;

type Option = "config" | "catalog" | "state";
const COMMANDS: Readonly<Record<string, { needs: readonly Option[]; takes: readonly Option[] }>> = {
  spec: { needs: [], takes: [] },
  check: { needs: ["config"], takes: ["config"] },
  discover: { needs: ["config"], takes: ["config"] },
  read: { needs: ["config", "catalog"], takes: ["config", "catalog", "state"] },
};

interface Call {
  readonly command: string;
  readonly files: Readonly<Partial<Record<Option, string>>>;
}

export async function run(words: readonly string[]): Promise<void> {
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(HELP);
    return;
  }
  if (words.includes("--version")) {
    process.stdout.write(`${packageJson.version}\n`);
    return;
  }
  const call = parseCall(words);
  if (typeof call === "string") {
    process.stderr.write(`source-survey-export: ${call}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const stop = createStop();
  const output = createStdout(() => stop.now("SIGTERM"));
  try {
    if (!(await perform(call, output, stop))) process.exitCode = 1;
  } catch (thrown) {
    if (!stop.signal.aborted) {
      await output.write(errorLine(SurveyExportError.from(thrown), Date.now()));
      process.exitCode = 1;
    }
  }
  stop.finish();
}

/** The call, or what is wrong with it. */
function parseCall(words: readonly string[]): Call | string {
  const [command = "", ...rest] = words;
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (command === "") return "no command was given.";
  if (!known) return `there is no command ${JSON.stringify(command)}.`;
  try {
    const { values } = parseArgs({
      args: rest,
      options: Object.fromEntries(known.takes.map((name) => [name, { type: "string" as const }])),
    });
    const missing = known.needs.filter((name) => !values[name]);
    if (missing.length > 0)
      return `${command} needs ${missing.map((name) => `--${name} FILE`).join(" and ")}.`;
    return { command, files: values as Call["files"] };
  } catch (thrown) {
    const [first = ""] = (thrown as Error).message.split(". ");
    return `${command}: ${first.replace(/\.$/, "")}.`;
  }
}

/** @returns false when a stream failed */
async function perform({ command, files }: Call, output: Output, stop: Stop): Promise<boolean> {
  if (command === "spec") {
    const { spec } = await import("./airbyte/spec.ts");
    await spec(output);
    return true;
  }
  const { keepHeapSmall } = await import("./node/heap.ts");
  keepHeapSmall();
  const [{ machineClock }, { createTransport }, { logLine }, { parseJson }] = await Promise.all([
    import("./node/clock.ts"),
    import("./node/transport.ts"),
    import("./airbyte/messages.ts"),
    import("./airbyte/json.ts"),
  ]);
  const makeHost: MakeHost = (configuration, safe) => ({
    clock: machineClock,
    transport: createTransport(configuration),
    log: (level, message) => {
      safe
        .write(logLine(level === "warn" ? "WARN" : level === "info" ? "INFO" : "DEBUG", message))
        .catch(() => {});
    },
  });
  const text = await readText("config", files.config!);
  if (command === "check") {
    const { check } = await import("./airbyte/check.ts");
    await check(output, text, makeHost);
    return true;
  }
  const configuration = parseJson(text, "configuration (--config)");
  if (command === "discover") {
    const { discover } = await import("./airbyte/discover.ts");
    await discover(output, configuration);
    return true;
  }
  const [{ read }, { createProgress }] = await Promise.all([
    import("./airbyte/read.ts"),
    import("./node/progress.ts"),
  ]);
  const catalog = parseJson(await readText("catalog", files.catalog!), "configured catalog (--catalog)");
  const state = files.state === undefined ? "" : await readText("state", files.state);
  const progress = createProgress(machineClock, process.stderr.isTTY ? process.stderr : undefined);
  return read(output, { configuration, catalog, state }, makeHost, progress, stop.signal);
}

async function readText(option: Option, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    const reason =
      code === "ENOENT" ? "it does not exist" : code === "EACCES" ? "this user may not read it" : `${code}`;
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      `The file ${path} (--${option}) cannot be read: ${reason}. Check the path, and that it is mounted where the program runs.`,
    );
  }
}
