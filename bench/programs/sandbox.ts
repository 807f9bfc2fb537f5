/** The sandbox as a process: its options as the first line of its input, in JSON; ends when its input does. */
import { createInterface } from "node:readline";
import { startSandbox } from "../../sandbox/index.ts";

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { url, apiKey, close } = await startSandbox(JSON.parse(String((await input.next()).value)));
process.stdout.write(`${JSON.stringify({ url, apiKey })}\n`);
await input.next();
await close();
