import { SurveyExportError } from "@survey-export/core";
import { tooLarge } from "./body.ts";
import { failedProxy } from "./proxy.ts";

/** Faults that may pass: the core tries again. */
const PASSING: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 15 s",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped coming",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
};

const NO_HTTP = "the answer is not HTTP";
const TRUST =
  "If this machine trusts the certificate's authority, set NODE_USE_SYSTEM_CA=1; else name the authority's file in NODE_EXTRA_CA_CERTS.";
const UNKNOWN_AUTHORITY = `The service's certificate comes from an authority that Node.js does not know. ${TRUST}`;
const OTHER_TLS =
  "The service and this program have no version or cipher of TLS in common; the service's may be too old, or it demands a client certificate. Ask the service for TLS 1.2 or later.";
const CLIENT_CERTIFICATE =
  "The service demands a client certificate, which this source cannot send. Use an address of the service that takes the API key alone.";
/** Such a service hangs up after the handshake, and the HTTP client does not pass its reason on. */
const CUT_BEFORE_ANY_ANSWER =
  "the connection was cut before any answer, as a service does that demands a client certificate";

/** Faults that no waiting mends, with the whole message. */
const FINAL: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED:
    "The service's certificate has expired. Check this machine's clock; if it is right, tell the service.",
  CERT_NOT_YET_VALID:
    "The service's certificate is not valid yet. Check this machine's clock; if it is right, tell the service.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "The service's certificate is for another host name. Correct the host name in base_url.",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_SSL_WRONG_VERSION_NUMBER:
    "The service does not answer with https at this port. Correct the port in base_url, or write http:// if the service is on your own network.",
  ERR_SSL_UNSUPPORTED_PROTOCOL: OTHER_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OTHER_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: OTHER_TLS,
  ERR_SSL_SSL_TLS_ALERT_HANDSHAKE_FAILURE: OTHER_TLS,
  ERR_SSL_NO_SHARED_CIPHER: OTHER_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
  ERR_SSL_TLS_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
};
const SAME: Readonly<Record<string, string>> = {
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "ERR_SSL_WRONG_VERSION_NUMBER",
  ERR_SSL_HTTP_REQUEST: "ERR_SSL_WRONG_VERSION_NUMBER",
};

/** The request that failed. */
export interface FailedRequest {
  /** The environment variable that names its proxy, if it may have used one. */
  readonly proxyVariable: string | undefined;
  /** Over https, from a service that has not answered a single request yet. */
  readonly isFirstOfHttps: boolean;
}

/**
 * A connection's fault in words for the user. One that may pass is an `Error` with a few words, which the core puts
 * into its sentence; one that no waiting mends is a `SurveyExportError` and final.
 */
export function describeFault(thrown: unknown, { proxyVariable, isFirstOfHttps }: FailedRequest): unknown {
  if (thrown instanceof SurveyExportError || !(thrown instanceof Error)) return thrown;
  const codes = codesOf(thrown);
  if (codes.includes("UND_ERR_RES_EXCEEDED_MAX_SIZE")) return tooLarge();
  const status = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(thrown.message)?.[1];
  if (status !== undefined) return proxyRefusal(Number(status), proxyVariable ?? "HTTPS_PROXY", thrown);
  const variable = proxyOf(thrown, proxyVariable);
  const final = codes.map((code) => FINAL[SAME[code] ?? code]).find((sentence) => sentence !== undefined);
  if (final !== undefined && variable === undefined) return finalFault(final, thrown);
  if (variable === undefined && codes.some((code) => /CERT|^ERR_TLS/.test(code))) {
    return finalFault(`The service's certificate was not accepted (${codes[0]}). ${TRUST}`, thrown);
  }
  const known = codes
    .map((code) => (code.startsWith("HPE_") ? NO_HTTP : PASSING[code]))
    .find((words) => words !== undefined);
  const isCut = codes.includes("UND_ERR_SOCKET") && isFirstOfHttps && variable === undefined;
  const words = isCut ? CUT_BEFORE_ANY_ANSWER : (known ?? final ?? thrown.message);
  return new Error(
    variable === undefined ? words : `the proxy that ${variable} names cannot be reached: ${words}`,
    { cause: thrown },
  );
}

const finalFault = (message: string, cause: Error): SurveyExportError =>
  new SurveyExportError("config", "no_answer", message, { cause });

/** The error's code and those of its causes: the HTTP client wraps what the socket says. */
function codesOf(thrown: Error): string[] {
  const chain = chainOf(thrown);
  return chain.flatMap((error) => {
    const { code } = error as { code?: unknown };
    return typeof code === "string" ? [code] : [];
  });
}

function chainOf(thrown: unknown, depth = 4): Error[] {
  if (!(thrown instanceof Error) || depth === 0) return [];
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : undefined;
  return [thrown, ...chainOf(first, depth - 1), ...chainOf(thrown.cause, depth - 1)];
}

function proxyOf(thrown: Error, proxyVariable: string | undefined): string | undefined {
  const marked = chainOf(thrown)
    .map(failedProxy)
    .find((variable) => variable !== undefined);
  return marked ?? (/^(Secure)?ProxyConnectionError$/.test(thrown.name) ? proxyVariable : undefined);
}

function proxyRefusal(status: number, variable: string, cause: Error): Error {
  if (status === 407) {
    return finalFault(
      `The proxy that ${variable} names demands a user name and a password (status 407). Write them into ${variable}, like http://user:password@host:port.`,
      cause,
    );
  }
  if (status < 500 && status !== 408 && status !== 429) {
    return finalFault(
      `The proxy that ${variable} names refuses to connect to the service (status ${status}). Allow the service's host there, or name it in NO_PROXY.`,
      cause,
    );
  }
  return new Error(`the proxy that ${variable} names could not reach the service, status ${status}`, {
    cause,
  });
}
