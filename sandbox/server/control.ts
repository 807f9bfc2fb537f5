import type { CollectedCount } from "../data/dataset.ts";
import type { ResponseInput } from "../data/record.ts";
import type { Fault } from "../faults/plan.ts";
import { JSON_HEADERS, type ServiceReply } from "../http/reply.ts";
import type { ServiceRequest } from "../http/request.ts";
import { pageData, type RecentRequests } from "../page/page-data.ts";
import type { Service } from "../service.ts";

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
      body === "" ? madeUp(query) : listIn<ResponseInput>(body),
    ),
  }),
  "POST /sandbox/remove": (service, _, body) => ({ removed: service.remove(JSON.parse(body)) }),
  "POST /sandbox/faults": (service, _, body) => service.addFaults(...listIn<Fault>(body)),
  "DELETE /sandbox/faults": (service, query) => service.clearFaults(query.get("name") ?? undefined),
  "GET /sandbox/page-data": (service, _query, _body, recent) => pageData(service, recent),
  "GET /sandbox/surveys": (service) => service.surveys,
  "GET /sandbox/truth": (service, query) => [...service.truth.responses(required(query, "survey_id"))],
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
  headers: JSON_HEADERS,
  body: `${JSON.stringify(value)}\n`,
});

/** For a control request whose body is too large. The rest of it is not read, so the connection ends. */
export const tooLarge: ServiceReply = json(413, {
  error: "The body has more than 16 MB. Send its content in several requests.",
});

/** The elements of a body. What they must hold is checked where it is used. */
function listIn<Element>(body: string): Element[] {
  const list: unknown = JSON.parse(body);
  if (!Array.isArray(list)) throw new Error("The body is not a list; send a list, also of one.");
  return list;
}

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null) throw new Error(`Add ${name}=… to the address.`);
  return value;
}

/** Collected now, if they are not late. */
function madeUp(query: URLSearchParams): CollectedCount {
  const count = whole(query.get("count") ?? "1", "count");
  const late = query.get("late_by_ms");
  return late === null ? { count, now: true } : { count, lateByMs: whole(late, "late_by_ms") };
}

function whole(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is "${text}"; give a whole number.`);
  return Number(text);
}

/** Why a control request is not answered: one sentence. */
interface ControlRefusal {
  readonly status: 403 | 415;
  readonly error: string;
}

/** The names of this machine, with any port. Any other name may belong to a web site, and resolve to this machine. */
const THIS_MACHINE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/**
 * Refuses a request that a page of a web site may have sent. A browser sends `Origin` with each request that can
 * change something, and asks the sandbox before it sends JSON to another site. No answer allows that. curl and other
 * programs send no `Origin`.
 */
function controlRefusal({ headers, body }: ServiceRequest): ControlRefusal | undefined {
  const { host = "", origin, "content-type": type } = headers;
  if (!THIS_MACHINE.test(String(host))) {
    return {
      status: 403,
      error: `The request is for the host ${JSON.stringify(host)}, and the control routes are for this machine only. Ask 127.0.0.1, localhost or [::1].`,
    };
  }
  if (origin !== undefined && String(origin).toLowerCase() !== `http://${host}`.toLowerCase()) {
    return {
      status: 403,
      error: `The request comes from a page of ${JSON.stringify(origin)}. Use the sandbox's own page at http://${host}/, or a program that sends no Origin.`,
    };
  }
  if (body && !JSON_TYPE.test(String(type))) {
    const sent = type === undefined ? "has no content type" : `has the content type ${JSON.stringify(type)}`;
    return {
      status: 415,
      error: `The body ${sent}. Send JSON, with the header content-type: application/json.`,
    };
  }
  return undefined;
}
