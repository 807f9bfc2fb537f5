/**
 * Runs the built program again and again in one process, as its parent asks: the entry is evaluated anew for each run,
 * with the run's arguments and environment. Each of its two outputs ends a run with the line that the parent named.
 */
const environment = { ...process.env };

process.on("disconnect", () => process.exit());
process.on("message", async ({ program, words, env, end }) => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment, env);
  process.argv = [process.execPath, program, ...words];
  process.exitCode = undefined;
  let thrown;
  await import(`${program}?${end}`).catch((error) => {
    thrown = error;
  });
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.stdout.removeAllListeners("error");
  process.stderr.removeAllListeners("error");
  for (const stream of [process.stdout, process.stderr]) stream.write(`\n${end}\n`);
  process.send({ code, thrown: thrown && String(thrown.stack) });
});
