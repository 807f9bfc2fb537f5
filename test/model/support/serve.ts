import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpResponse } from "@survey-export/core";
import { HEALTHY, type ListService, type ServiceFaults } from "./list-service.ts";

/** What a test answers in the service's place; a body that is neither text nor bytes is sent as JSON. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Undefined leaves a request to the service, "nothing" leaves it without an answer. */
export type Script = (path: string, page: () => HttpResponse) => Answer | "nothing" | undefined;

/** The list service on a socket of this machine. Its script and its faults may change between two requests. */
export async function serve(service: ListService, script: Script = () => undefined) {
  const paths: string[] = [];
  const behaviour = { script, faults: HEALTHY as ServiceFaults };
  const server = createServer((request, response) => {
    const path = (request.url ?? "").slice("/v2".length);
    paths.push(path);
    const page = () => service.answer(path, behaviour.faults);
    const answer = behaviour.script(path, page) ?? page();
    if (answer === "nothing") return;
    const { status = 200, headers = {}, body = "" } = answer;
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    behaviour,
    /** Every request so far, below /v2. */
    paths,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
