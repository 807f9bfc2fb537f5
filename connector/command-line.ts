import { SurveyExportError } from "@survey-export/core/errors";
import packageJson from "../package.json" with { type: "json" };
import connectionSpecification from "../spec/connection.json" with { type: "json" };
import type { Configuration } from "./airbyte/configuration.ts";
import { MessageWriter } from "./airbyte/message-writer.ts";
import { type Call, parseCall, USAGE } from "./arguments.ts";
import {
  createScreen,
  createStdout,
  liveLine,
  NOWHERE,
  type Output,
  type Screen,
  type Stdout,
} from "./node/output.ts";
import { createStop, type Stop } from "./node/stop.ts";

/**
 * The commands: arguments, files and the exit code. Everything else is imported when a command needs it, since `spec`
 * must answer at once.
 */
const HELP = `${USAGE}
Reads the responses of surveys, their answers and the respondents from a survey
service's export API.

sync      reads everything that is new into FILE, a SQLite database: a table for
          each stream. FILE ends in .sqlite, .sqlite3 or .db. Run it again for
          what came since. It may be stopped at any time.
report    makes a page of charts of such a file. It prints where the page is.
check     says whether the configuration works.
spec, discover, read
          speak Airbyte's protocol: one JSON message a line, on standard output.
catalog   prints a configured catalog for read.

Settings
  SURVEY_EXPORT_API_KEY
                   the API key. With it, no file is needed
  --config FILE    the settings that spec describes, in JSON. sync also takes the
                   file that SURVEY_EXPORT_CONFIG names, or config.json next to
                   its FILE
  SURVEY_EXPORT_BASE_URL
                   the service's address, if it is not in the settings

What to read
  --streams NAMES  with commas between them, and no spaces. Default: all but the
                   two of deleted responses
  --catalog FILE   the same, as a configured catalog
  --state FILE     where the last read stopped: its output, or the STATE lines of
                   it, or Airbyte's array
  --dry-run        reads nothing: says which surveys there are, how many responses
                   they have, and how long a sync takes

What the page shows
  --since DATE     only responses since then, like 2026-01-31. Default: all
  --survey ID      only this survey. It may be given several times. Default: all
  --texts          also what people wrote in their own words

Where messages go: sync, report and catalog write their errors to standard error. The
others write messages to standard output; with SURVEY_EXPORT_STDERR=1, or if standard
error is a terminal of its own, errors and the summary are on standard error, too.

Exit codes
  0    done
  1    a stream, or the whole run, failed: the messages say why
  2    the arguments are wrong, or sync could not start: there is no key, the file of
       --config does not exist, or FILE cannot be used. A wrong setting is 1
  75   another sync is writing to FILE
  129, 130, 143
       SIGHUP, Ctrl-C or SIGTERM stopped the run. The next one resumes
"check" in a terminal answers with a sentence, and with 1 if the connection does not
work. In a pipe its result is Airbyte's message CONNECTION_STATUS, and the exit code
is 0, as Airbyte demands.
`;

export async function run(words: readonly string[]): Promise<void> {
  const text = informationFor(words);
  const stop = createStop(process.env);
  const stdout = createStdout((failure) => {
    if (text === undefined) ended(failure, stop);
  });
  process.stderr.on("error", () => {}); // nobody reads it any more
  if (text === undefined)
    await runCall(parseCall(words, Boolean(process.env.SURVEY_EXPORT_API_KEY)), stdout, stop);
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
  const screen = screenOf(call.command);
  const isPlain = PLAIN.has(call.command) || isCheckForPeople(call.command);
  const writer = new MessageWriter(isPlain ? NOWHERE : stdout, Date, screen?.print);
  try {
    process.exitCode = await perform(call, { writer, stdout, stop, screen });
  } catch (thrown) {
    if (stop.signal.aborted) return;
    process.exitCode = 1;
    await writer.error(SurveyExportError.from(thrown)).catch(() => {});
  }
}

/** These write no messages to standard output, so their errors go to standard error alone. */
const PLAIN: ReadonlySet<string> = new Set(["catalog", "sync", "report"]);

/** In a terminal, people read sentences. A pipe is the platform. */
const isCheckForPeople = (command: string): boolean => command === "check" && process.stdout.isTTY === true;

/** The setting that writes notices to a standard error that is no terminal: logs of Kubernetes, Compose, Airflow. */
const STDERR_SETTING = "SURVEY_EXPORT_STDERR";

/**
 * Where people read notices; undefined if they do not. Airbyte shows each line of standard error as an error, so without a
 * terminal only the setting says so. With standard output on the same terminal, the messages are there already. The commands
 * that write no messages are for people.
 */
function screenOf(command: string): Screen | undefined {
  if (isCheckForPeople(command)) return createScreen(process.stdout);
  const setting = process.env[STDERR_SETTING] ?? "";
  const isTerminal = process.stderr.isTTY === true && process.stdout.isTTY !== true;
  const isWatched = command !== "spec" && (setting === "" ? isTerminal : setting !== "0");
  return isWatched || PLAIN.has(command) ? createScreen(process.stderr, command === "sync") : undefined;
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

/** What a command speaks to. */
interface Surroundings {
  readonly writer: MessageWriter;
  readonly stdout: Output;
  readonly stop: Stop;
  readonly screen: Screen | undefined;
}

/** @returns the exit code */
async function perform(call: Call, surroundings: Surroundings): Promise<number> {
  const { command, target } = call;
  const { writer, stdout, stop, screen } = surroundings;
  if (command === "spec") {
    await writer.write({ type: "SPEC", spec: SPECIFICATION });
    return 0;
  }
  (await import("./node/machine.ts")).keepHeapSmall();
  if (command === "catalog") {
    const { configuredCatalog } = await import("./airbyte/catalog.ts");
    await stdout.write(`${JSON.stringify(configuredCatalog(call.streams), undefined, 2)}\n`);
    return 0;
  }
  if (command === "report") {
    const { writeReport } = await import("./report/write-report.ts");
    const { since, surveyIds } = call;
    await stdout.write(`${writeReport(target, { hasTexts: call.flags.has("texts"), since, surveyIds })}\n`);
    return 0;
  }
  if (command === "sync" && screen) {
    const { sync } = await import("./sync-command/sync.ts");
    return sync(call, { env: process.env, stop, screen, print: (text) => stdout.write(text) });
  }
  return performWithConfiguration(call, surroundings);
}

/** `check`, `discover` and `read`. @returns the exit code */
async function performWithConfiguration(
  { command, files, streams }: Call,
  { writer, stop, screen }: Surroundings,
): Promise<number> {
  const [{ machine }, input] = await Promise.all([import("./node/machine.ts"), import("./airbyte/input.ts")]);
  const text = await input.readConfiguration(files.config);
  let configuration: Configuration;
  try {
    configuration = input.parseConfiguration(text, process.env, writer);
  } catch (thrown) {
    if (command !== "check") throw thrown;
    await writer.result("FAILED", SurveyExportError.from(thrown).whole);
    return failureOf(command);
  }
  if (command === "check") {
    const { check } = await import("./airbyte/check.ts");
    return (await check(writer, configuration, machine, stop.signal)) ? 0 : failureOf(command);
  }
  if (command === "discover") {
    const { catalogStreams } = await import("./airbyte/catalog.ts");
    await writer.write({ type: "CATALOG", catalog: { streams: catalogStreams() } });
    return 0;
  }
  const [{ read }, { missingStates, parseStates }] = await Promise.all([
    import("./airbyte/read.ts"),
    import("./airbyte/state.ts"),
  ]);
  const selected = await input.readSelected(files.catalog, streams);
  const states = parseStates(await input.readState(files.state));
  await writer.warn(missingStates(states, selected));
  const task = { configuration, selected, states };
  return (await read(writer, task, machine, stop.signal, liveLine(screen))) ? 0 : 1;
}

/** By Airbyte's protocol a check has a result, and the exit code 0, whatever the result is. */
const failureOf = (command: string): number => (isCheckForPeople(command) ? 1 : 0);
