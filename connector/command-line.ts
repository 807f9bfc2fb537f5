import { certain, SurveyExportError } from "@survey-export/core/errors";
import { type Message, render } from "@survey-export/core/message";
import packageJson from "../package.json" with { type: "json" };
import connectionSpecification from "../spec/connection.json" with { type: "json" };
import { MessageWriter } from "./airbyte/message-writer.ts";
import { type Call, parseCall } from "./arguments.ts";
import { createScreen, createStdout, type Output, type Screen, type Stdout } from "./node/output.ts";
import { createStop, type Stop } from "./node/stop.ts";

/**
 * The commands: arguments, files and the exit code. Everything else is imported when a command needs it, since `spec`
 * must answer at once.
 */
const USAGE = `Usage:
  source-survey-export spec
  source-survey-export check    --config FILE
  source-survey-export discover --config FILE
  source-survey-export read     --config FILE --catalog FILE [--state FILE]
  source-survey-export catalog  --config FILE
  source-survey-export sync     FOLDER
  source-survey-export --help | --version
`;

const HELP = `${USAGE}
Reads survey responses, their answers, respondents' responses and respondents'
attributes from a survey service's export API, and writes them as Airbyte messages,
one JSON document a line, to standard output.

  --config FILE    the connection's settings, as "spec" describes them. If they have no
                   api_key, the variable SURVEY_EXPORT_API_KEY gives it
  --catalog FILE   the streams to read: a configured catalog
  --state FILE     where the last run stopped: its whole output, only the STATE lines
                   of it, or Airbyte's array

"catalog" prints a configured catalog that reads every stream but the snapshots.
"sync" needs no platform. It reads with config.json and catalog.json of FOLDER, adds
each run to FOLDER/messages, and keeps the state there for the next run.

Errors are messages on standard output. They also appear on standard error, with the
summary, if that is a terminal of its own or if SURVEY_EXPORT_STDERR=1 is set.

Exit code 0: done. 1: a stream or the whole run failed; the messages say why. 2: wrong arguments.
75: another sync is running in FOLDER.
"check" exits with 0 also when the connection does not work, as Airbyte demands: its result
is the message CONNECTION_STATUS, SUCCEEDED or FAILED.
`;

export async function run(words: readonly string[]): Promise<void> {
  const text = informationFor(words);
  const stop = createStop(process.env);
  const stdout = createStdout((failure) => {
    if (text === undefined) ended(failure, stop);
  });
  process.stderr.on("error", () => {}); // nobody reads it any more
  if (text === undefined) await runCall(parseCall(words), stdout, stop);
  else await stdout.write(text).catch(() => {});
  await stdout.flush();
  stop.finish();
}

function informationFor(words: readonly string[]): string | undefined {
  if (words.includes("--help") || words.includes("-h")) return HELP;
  return words.includes("--version") ? `${packageJson.version}\n` : undefined;
}

async function runCall(call: Call | string, stdout: Stdout, stop: Stop): Promise<void> {
  if (typeof call === "string") {
    process.stderr.write(`source-survey-export: ${call}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const { command, folder } = call;
  if (stdout.isClosed && command !== "sync") {
    process.stderr.write("source-survey-export: standard output is closed. Open it to a file or a pipe.\n");
    process.exitCode = 1;
    return;
  }
  const screen = isWatched(command) ? createScreen(process.stderr, command === "sync") : undefined;
  const writer = new MessageWriter(PLAIN.has(command) ? NOWHERE : stdout, Date, screen?.print);
  try {
    if (command === "spec") await writer.write({ type: "SPEC", spec: SPECIFICATION });
    else if (folder !== undefined && screen) process.exitCode = await syncIn(folder, stop, screen);
    else if (!(await perform(call, writer, stop.signal, screen, stdout))) process.exitCode = 1;
  } catch (thrown) {
    if (stop.signal.aborted) return;
    process.exitCode = 1;
    await writer.error(SurveyExportError.from(thrown)).catch(() => {});
  }
}

/** These write no messages to standard output, so their errors go to standard error alone. */
const PLAIN: ReadonlySet<string> = new Set(["catalog", "sync"]);
const NOWHERE: Output = { write: async () => {} };

/** @returns the exit code */
async function syncIn(folder: string, stop: Stop, screen: Screen): Promise<number> {
  const { sync } = await import("./sync-command/sync.ts");
  return sync(folder, {
    env: process.env,
    stop,
    print: screen.print,
    read: (files, writer, signal) =>
      perform({ command: "read", files, folder }, writer, signal, screen, NOWHERE).finally(() =>
        screen.draw(""),
      ),
  });
}

/** The setting that writes notices to a standard error that is no terminal: logs of Kubernetes, Compose, Airflow. */
const STDERR_SETTING = "SURVEY_EXPORT_STDERR";

/**
 * Whether people read standard error. Airbyte shows each of its lines as an error, so without a terminal only the
 * setting says so. With standard output on the same terminal, the messages are there already. The commands that
 * write no messages are for people.
 */
function isWatched(command: string): boolean {
  if (PLAIN.has(command)) return true;
  if (command === "spec") return false;
  const setting = process.env[STDERR_SETTING] ?? "";
  if (setting !== "") return setting !== "0";
  return process.stderr.isTTY === true && process.stdout.isTTY !== true;
}

/** A reader that goes away ends the run as SIGTERM does. */
function ended(failure: string | undefined, stop: Stop): void {
  if (failure !== undefined)
    process.stderr.write(
      `source-survey-export: standard output cannot be written: ${failure}. Make room, and run again with the last state that was written.\n`,
    );
  stop.now(failure === undefined ? "SIGTERM" : "output_failed");
}

const DOCUMENTS = "https://github.com/survey-export/survey-export/blob/main";
const SPECIFICATION = {
  documentationUrl: `${DOCUMENTS}/docs/airbyte.md`,
  changelogUrl: `${DOCUMENTS}/CHANGELOG.md`,
  connectionSpecification,
  supportsIncremental: true,
};

/** The variable that gives the key if the configuration has none. */
const KEY_SETTING = "SURVEY_EXPORT_API_KEY";

/** @returns false when a stream failed */
async function perform(
  { command, files, folder }: Call,
  writer: MessageWriter,
  signal: AbortSignal,
  screen: Screen | undefined,
  stdout: Output,
): Promise<boolean> {
  const [{ machine, keepHeapSmall }, { parseJson, readText }, { withKey, requireConfiguration }, core] =
    await Promise.all([
      import("./node/machine.ts"),
      import("./node/input-file.ts"),
      import("./airbyte/configuration.ts"),
      import("@survey-export/core"),
    ]);
  keepHeapSmall();
  const config = await readText("config", certain(files.config, "config"));
  let configuration: unknown;
  try {
    configuration = withKey(parseJson("config", config), process.env[KEY_SETTING]);
  } catch (thrown) {
    if (command !== "check") throw thrown;
    await writer.result("FAILED", SurveyExportError.from(thrown).whole);
    return true;
  }
  // It has not been checked yet: what is wrong with the other files must not show the key.
  const { api_key: key } = Object(configuration);
  writer.protect({ redact: core.createRedactor(typeof key === "string" ? key : "") });
  if (command === "check") {
    const { check } = await import("./airbyte/check.ts");
    await check(writer, configuration, machine, signal);
    return true;
  }
  if (command !== "read") {
    const { catalogStreams, configuredCatalog } = await import("./airbyte/catalog.ts");
    requireConfiguration(configuration);
    if (command === "discover")
      await writer.write({ type: "CATALOG", catalog: { streams: catalogStreams() } });
    else await stdout.write(`${JSON.stringify(configuredCatalog(), undefined, 2)}\n`);
    return true;
  }
  return performRead({ files, folder }, configuration, writer, signal, screen);
}

/** @returns false when a stream failed */
async function performRead(
  { files, folder }: Pick<Call, "files" | "folder">,
  configuration: unknown,
  writer: MessageWriter,
  signal: AbortSignal,
  screen: Screen | undefined,
): Promise<boolean> {
  const [{ machine }, { parseJson, readText }, { read }] = await Promise.all([
    import("./node/machine.ts"),
    import("./node/input-file.ts"),
    import("./airbyte/read.ts"),
  ]);
  const catalog = parseJson("catalog", await readText("catalog", certain(files.catalog, "catalog")));
  const state = files.state === undefined ? undefined : await readText("state", files.state);
  const draw = screen?.hasLiveLine ? (line: Message) => screen.draw(render(line)) : undefined;
  const input = { configuration, catalog, state, keepsState: folder !== undefined };
  return read(writer, input, machine, signal, draw);
}
