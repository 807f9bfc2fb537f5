/** The sandbox as a process: its options as the one argument, in JSON; ends when its input does. */
import { type SandboxOptions, startSandbox } from "../../sandbox/index.ts";

const options = JSON.parse(process.argv[2]!) as SandboxOptions;
const startsMs: number[] = [];
const sandbox = await startSandbox({ ...options, onAnswer: ({ startedAtMs }) => startsMs.push(startedAtMs) });
process.stdout.write(`${JSON.stringify({ url: sandbox.url, apiKey: sandbox.apiKey })}\n`);
process.stdin.resume().once("end", async () => {
  process.stdout.write(`${JSON.stringify(startsMs)}\n`);
  await sandbox.close();
});
