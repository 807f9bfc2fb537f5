import { beforeAll } from "vitest";
import { createTransport } from "../../connector/node/transport.ts";
import { Engine } from "../n8n/engine.ts";
import { describeTransport } from "./transport.ts";

describeTransport("the command line (undici)", createTransport);

/** n8n's helper lives in an execution; each request gets its own. */
let apiKey = "";
let engine: Engine;
beforeAll(async () => {
  engine = await Engine.start(() => ({ baseUrl: "http://127.0.0.1/v2", apiKey }));
  // n8n loads its client with the first request, which takes longer than the suite grants an answer.
  await engine.ask(20_000, { url: "http://127.0.0.1:9/v2/a" }).catch(() => {});
});
describeTransport("the n8n node (n8n's helper)", (options) => async (request, signal) => {
  apiKey = options.apiKey;
  return await engine.ask(options.timeoutMs, request, signal);
});
