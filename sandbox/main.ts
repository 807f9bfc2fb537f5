import { ArgumentError, HELP_TEXT, readArguments } from "./command/arguments.ts";
import { cannotWrite } from "./command/cannot-write.ts";
import { greeting } from "./command/greeting.ts";
import { writeReadyFiles } from "./command/ready-files.ts";
import { exampleCompany } from "./data/company.ts";
import { DIALECTS } from "./dialects.ts";
import { exampleSurveys } from "./options.ts";
import { startSandbox } from "./server.ts";

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
