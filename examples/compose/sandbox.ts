import { startSandbox } from "../../sandbox/index.ts";

const { url } = await startSandbox({ port: 8080 });
console.log(`The sandbox answers at ${url}`);
