import type { ServiceRequest } from "./request-and-reply.ts";

/** Why a control request is not answered: one sentence. */
export interface ControlRefusal {
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
export function controlRefusal({ headers, body }: ServiceRequest): ControlRefusal | undefined {
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
