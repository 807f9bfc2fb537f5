import { startSandbox } from "../../sandbox/index.ts";

const sandbox = await startSandbox({ port: 8080 });
console.log(`The sandbox answers at ${sandbox.url}`);
// As a container's first process it would ignore the signal by which the engine stops it.
process.once("SIGTERM", () => void sandbox.close());
