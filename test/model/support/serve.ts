import type { HttpResponse } from "@survey-export/core";
import { startServer } from "../../support/server.ts";
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
  const { origin, close } = await startServer((request, response) => {
    const path = (request.url ?? "").slice("/v2".length);
    paths.push(path);
    const page = () => service.answer(path, behaviour.faults);
    const answer = behaviour.script(path, page) ?? page();
    if (answer === "nothing") return;
    const { status = 200, headers = {}, body = "" } = answer;
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  return {
    behaviour,
    /** Every request so far, below /v2. */
    paths,
    url: `${origin}/v2`,
    [Symbol.asyncDispose]: close,
  };
}
