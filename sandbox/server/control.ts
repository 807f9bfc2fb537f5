import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Removal } from "../data/dataset.ts";
import type { SurveyOptions, SurveySettings } from "../data/survey.ts";
import type { Fault } from "../faults/plan.ts";
import { jsonReply, type ServiceReply } from "../http/request.ts";
import { pageData, type RecentRequests } from "../page/page-data.ts";
import type { Service } from "../service.ts";
import { CHANGE, FAULTS, type Form, REMOVAL, SURVEY } from "./forms.ts";

/** A request for a control route, and what it is about. */
interface Controlled {
  readonly service: Service;
  readonly recent: RecentRequests;
  readonly query: URLSearchParams;
  /** What came as JSON, if it has this form. Throws a sentence otherwise. */
  readonly body: (form: Form) => unknown;
}

/**
 * Routes that control a running sandbox from outside its process. They need no key, are not counted, and are
 * no part of the service's API. Bodies are JSON.
 */
const ROUTES: Record<string, (controlled: Controlled) => unknown> = {
  "GET /sandbox/stats": ({ service }) => service.stats,
  "DELETE /sandbox/stats": ({ service }) => service.resetStats(),
  "POST /sandbox/collect": ({ service, query }) => {
    const [count, answersShown] = [whole(query, "count", 1), whole(query, "answers", Infinity)];
    return { uuids: service.collect(required(query, "survey_id"), { count, now: true, answersShown }) };
  },
  "POST /sandbox/grow": ({ service, query }) => ({ grown: service.grow(whole(query, "answers", Infinity)) }),
  "POST /sandbox/surveys": ({ service, body }) => service.addSurvey(body(SURVEY) as SurveyOptions),
  "PATCH /sandbox/surveys": ({ service, query, body }) =>
    service.changeSurvey(required(query, "survey_id"), body(CHANGE) as Partial<SurveySettings>),
  "POST /sandbox/remove": ({ service, body }) => ({ removed: service.remove(body(REMOVAL) as Removal) }),
  "POST /sandbox/faults": ({ service, body }) => service.addFaults(...(body(FAULTS) as Fault[])),
  "DELETE /sandbox/faults": ({ service, query }) => service.clearFaults(query.get("name") ?? undefined),
  "GET /sandbox/page-data": ({ service, recent }) => pageData(service, recent),
  "GET /sandbox/truth": ({ service, query }) => service.truth.responses(required(query, "survey_id")),
  "GET /sandbox/attributes": ({ service, query }) =>
    service.truth.attributes(required(query, "respondent_uuid")) ?? null,
};

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null) throw new Error(`Add ${name}=… to the address.`);
  return value;
}

function whole(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,6}$/.test(text)) throw new Error(`${name} must be a whole number up to 999999.`);
  return Number(text);
}

/**
 * Answers a control request. A request that fails gets a 400 with a sentence, and one that a web page may have sent
 * gets a 403 or 415. Neither changes anything.
 */
export async function control(
  service: Service,
  recent: RecentRequests,
  request: IncomingMessage,
): Promise<ServiceReply> {
  const foreign = foreignTo(request.headers);
  if (foreign !== undefined) return jsonReply(403, { error: foreign });
  const address = new URL(request.url ?? "/", "http://sandbox.invalid");
  const handler = ROUTES[`${request.method} ${address.pathname}`];
  if (handler === undefined) {
    return jsonReply(404, { error: `Control routes are: ${Object.keys(ROUTES).join(", ")}.` });
  }
  const body = await text(request);
  if (body !== "" && !/^application\/json[ \t]*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    return jsonReply(415, {
      error: "Send the body as JSON, with the header content-type: application/json.",
    });
  }
  try {
    const parsed: unknown = body === "" ? undefined : JSON.parse(body);
    const formed = (form: Form): unknown => {
      const fault = form(parsed, "The body");
      if (fault !== undefined) throw new Error(fault);
      return parsed;
    };
    const controlled = { service, recent, query: address.searchParams, body: formed };
    return jsonReply(200, handler(controlled) ?? { done: true });
  } catch (thrown) {
    return jsonReply(400, { error: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/** The names of this machine, with any port. Any other name may belong to a web site, and resolve to this machine. */
const THIS_MACHINE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Why a request may come from a page of a web site, or undefined. A browser sends `Origin` with each request that can
 * change something, and asks the sandbox before it sends JSON to another site. No answer allows that. curl and other
 * programs send no `Origin`.
 */
function foreignTo({ host = "", origin }: IncomingHttpHeaders): string | undefined {
  if (!THIS_MACHINE.test(host)) {
    return `The request is for the host ${JSON.stringify(host)}, and the control routes are for this machine only. Ask 127.0.0.1, localhost or [::1].`;
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`.toLowerCase()) {
    return `The request comes from a page of ${JSON.stringify(origin)}. Use the sandbox's own page at http://${host}/, or a program that sends no Origin.`;
  }
  return undefined;
}
