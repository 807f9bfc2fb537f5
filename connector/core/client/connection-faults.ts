import { SurveyExportError } from "../errors.ts";
import { fixed, type Message, outside, render, say } from "../text/message.ts";

/** Why no complete reply came, in words of ours. The core tries again after one. */
export class ConnectionFault extends Error {
  readonly reason: Message;

  constructor(reason: Message, options?: ErrorOptions) {
    super(render(reason), options);
    this.reason = reason;
  }
}

/** The reason of anything that a transport throws. Words of other programs are a quotation. */
export const reasonOf = (thrown: unknown): Message =>
  thrown instanceof ConnectionFault
    ? thrown.reason
    : say`${outside(thrown instanceof Error ? thrown.message : String(thrown))}`;

const CUT = say`the connection was cut`;
const NOT_IN_TIME = say`no answer in time`;

/** Faults that may pass, by the codes of Node.js, undici, axios and OpenSSL. */
const PASSING: Readonly<Record<string, Message>> = {
  ECONNREFUSED: say`connection refused`,
  ENOTFOUND: say`the host name is unknown`,
  EAI_AGAIN: say`the host name could not be looked up`,
  ECONNRESET: CUT,
  EPIPE: CUT,
  ERR_STREAM_PREMATURE_CLOSE: CUT,
  UND_ERR_SOCKET: CUT,
  ETIMEDOUT: say`the connection timed out`,
  ECONNABORTED: NOT_IN_TIME,
  UND_ERR_HEADERS_TIMEOUT: NOT_IN_TIME,
  UND_ERR_BODY_TIMEOUT: NOT_IN_TIME,
  UND_ERR_CONNECT_TIMEOUT: say`no connection within 15 s`,
  EHOSTUNREACH: say`the host cannot be reached`,
  ENETUNREACH: say`the network cannot be reached`,
};

const TRUST = say`If this machine trusts the certificate's authority, set NODE_USE_SYSTEM_CA=1; else name the authority's file in NODE_EXTRA_CA_CERTS.`;
const CHECK_CLOCK = say`Check this machine's clock; if it is right, tell the service.`;

/** Failures that waiting does not fix: the codes, what happened, and what to do. */
const FINAL: readonly (readonly [codes: RegExp, facts: Message, advice: Message])[] = [
  [/^CERT_HAS_EXPIRED$/, say`The service's certificate has expired.`, CHECK_CLOCK],
  [/^CERT_NOT_YET_VALID$/, say`The service's certificate is not valid yet.`, CHECK_CLOCK],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    say`The service's certificate is for another host name.`,
    say`Correct the host name in the base URL.`,
  ],
  [
    /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER_CERT)/,
    say`The service's certificate comes from an authority that Node.js does not know.`,
    TRUST,
  ],
  [
    /^EPROTO$|^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    say`The service does not answer with https at this port.`,
    say`Correct the port in the base URL, or write http:// if the service is on your own network.`,
  ],
  [
    /^(UND_ERR_HEADERS|HPE_HEADER)_OVERFLOW$/,
    say`The headers of the service's answer are longer than Node.js allows, which is 16 KB by default.`,
    say`Set NODE_OPTIONS=--max-http-header-size=65536. If that is not enough, report the headers to the service.`,
  ],
];

/**
 * What the codes of an error and its causes, outermost first, say about the connection: a `SurveyExportError` if no
 * waiting helps, a `ConnectionFault` if it may pass, undefined if none of them is known.
 */
export function connectionFaultOf(
  codes: readonly string[],
  cause: unknown,
): ConnectionFault | SurveyExportError | undefined {
  for (const [pattern, facts, advice] of FINAL) {
    if (codes.some((code) => pattern.test(code))) return finalFault(facts, advice, cause);
  }
  const [unknown] = codes.filter((code) => /CERT|^ERR_TLS/.test(code));
  if (unknown !== undefined) {
    return finalFault(say`The service's certificate was not accepted (${fixed(unknown)}).`, TRUST, cause);
  }
  const reason = codes.map(passing).find((each) => each !== undefined);
  return reason && new ConnectionFault(reason, { cause });
}

function passing(code: string): Message | undefined {
  if (code.startsWith("HPE_")) return say`the answer is not HTTP`;
  return code.startsWith("ERR_SSL") ? say`no secure connection is possible (${fixed(code)})` : PASSING[code];
}

/** A failure of the connection that waiting does not fix, for any request. */
export const finalFault = (facts: Message, advice: Message, cause: unknown): SurveyExportError =>
  new SurveyExportError("config", "no_answer", facts, { advice, cause, scope: "run" });
