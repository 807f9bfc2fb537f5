import type { CollectedCount, Removal } from "./data/dataset.ts";
import type { ResponseInput } from "./data/response-input.ts";
import type { DataEvent } from "./faults/event.ts";
import type { Fault } from "./faults/fault.ts";
import { controlRefusal } from "./http/control-refusal.ts";
import type { ServiceReply, ServiceRequest } from "./http/request-and-reply.ts";
import { pageData } from "./page/page-data.ts";
import type { RecentRequests } from "./page/recent-requests.ts";
import type { Service } from "./service.ts";

type Handler = (service: Service, query: URLSearchParams, body: string, recent: RecentRequests) => unknown;

/**
 * Routes that control a running sandbox from outside its process. They need no key, are not counted, and are
 * no part of the service's API. Bodies are JSON.
 */
const ROUTES: Record<string, Handler> = {
  "GET /sandbox/stats": (service) => service.stats,
  "DELETE /sandbox/stats": (service) => service.resetStats(),
  "POST /sandbox/collect": (service, query, body) => ({
    uuids: service.collect(
      required(query, "survey_id"),
      body === "" ? madeUp(query) : (JSON.parse(body) as ResponseInput[]),
    ),
  }),
  "POST /sandbox/remove": (service, _, body) => ({ removed: service.remove(JSON.parse(body) as Removal) }),
  "POST /sandbox/faults": (service, _, body) => service.addFaults(...(JSON.parse(body) as Fault[])),
  "DELETE /sandbox/faults": (service, query) => service.clearFaults(query.get("name") ?? undefined),
  "POST /sandbox/events": (service, _, body) => service.addEvents(...(JSON.parse(body) as DataEvent[])),
  "DELETE /sandbox/events": (service) => service.clearEvents(),
  "GET /sandbox/page-data": (service, _query, _body, recent) => pageData(service, recent),
  "GET /sandbox/personal-data": (service) => service.personalData,
  "GET /sandbox/surveys": (service) => service.surveys,
  "GET /sandbox/truth": (service, query) => [...service.truth.responses(required(query, "survey_id"))],
  "GET /sandbox/respondents": (service, query) => [
    ...service.truth.respondents(required(query, "survey_id")),
  ],
  "GET /sandbox/attributes": (service, query) =>
    service.truth.attributes(required(query, "respondent_uuid")) ?? null,
};

/**
 * Answers a control request. A request that fails gets a 400 with a sentence, and one that a web page may have sent
 * gets a 403 or 415. Neither changes anything.
 */
export function control(service: Service, recent: RecentRequests, request: ServiceRequest): ServiceReply {
  const refusal = controlRefusal(request);
  if (refusal !== undefined) return json(refusal.status, { error: refusal.error });
  const address = new URL(request.url, "http://sandbox.invalid");
  const handler = ROUTES[`${request.method ?? "GET"} ${address.pathname}`];
  if (handler === undefined) {
    return json(404, { error: `Control routes are: ${Object.keys(ROUTES).join(", ")}.` });
  }
  try {
    return json(200, handler(service, address.searchParams, request.body ?? "", recent) ?? { done: true });
  } catch (thrown) {
    return json(400, { error: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

const json = (status: number, value: unknown): ServiceReply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: `${JSON.stringify(value)}\n`,
});

/** For a control request whose body is too large. The rest of it is not read, so the connection ends. */
export const tooLarge: ServiceReply = json(413, {
  error: "The body has more than 16 MB. Send its content in several requests.",
});

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null) throw new Error(`Add ${name}=… to the address.`);
  return value;
}

function madeUp(query: URLSearchParams): CollectedCount {
  const count = whole(query.get("count") ?? "1", "count");
  const late = query.get("late_by_ms");
  const ahead = query.get("ahead_of_clock_ms");
  if (ahead !== null) return { count, aheadOfClockMs: whole(ahead, "ahead_of_clock_ms") };
  return late === null ? { count } : { count, lateByMs: whole(late, "late_by_ms") };
}

function whole(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is "${text}"; give a whole number.`);
  return Number(text);
}
