import { SurveyExportError } from "../errors.ts";
import { fixed, type Message, outside, render, say } from "../text/message.ts";

/** Why no complete answer came, in words of ours. The core tries again after one. */
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
const NO_ANSWER = say`no answer in time`;
const NO_HTTP = say`the answer is not HTTP`;

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
  ECONNABORTED: NO_ANSWER,
  UND_ERR_HEADERS_TIMEOUT: NO_ANSWER,
  UND_ERR_BODY_TIMEOUT: say`the answer stopped coming`,
  UND_ERR_CONNECT_TIMEOUT: say`no connection within 15 s`,
  UND_ERR_HEADERS_OVERFLOW: say`the answer's headers are too large`,
  EHOSTUNREACH: say`the host cannot be reached`,
  ENETUNREACH: say`the network cannot be reached`,
};

interface Final {
  readonly facts: Message;
  readonly advice: Message;
}

const TRUST = say`If this machine trusts the certificate's authority, set NODE_USE_SYSTEM_CA=1; else name the authority's file in NODE_EXTRA_CA_CERTS.`;
const CHECK_CLOCK = say`Check this machine's clock; if it is right, tell the service.`;
const UNKNOWN_AUTHORITY: Final = {
  facts: say`The service's certificate comes from an authority that Node.js does not know.`,
  advice: TRUST,
};
const NO_TLS: Final = {
  facts: say`The service does not answer with https at this port.`,
  advice: say`Correct the port in the base URL, or write http:// if the service is on your own network.`,
};
const OTHER_TLS: Final = {
  facts: say`The service and this program have no version or cipher of TLS in common; the service's may be too old, or it demands a client certificate.`,
  advice: say`Ask the service for TLS 1.2 or later.`,
};
const CLIENT_CERTIFICATE: Final = {
  facts: say`The service demands a client certificate, which this program cannot send.`,
  advice: say`Use an address of the service that takes the API key alone.`,
};

/** Failures that waiting does not fix. */
const FINAL: Readonly<Record<string, Final>> = {
  CERT_HAS_EXPIRED: { facts: say`The service's certificate has expired.`, advice: CHECK_CLOCK },
  CERT_NOT_YET_VALID: { facts: say`The service's certificate is not valid yet.`, advice: CHECK_CLOCK },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    facts: say`The service's certificate is for another host name.`,
    advice: say`Correct the host name in the base URL.`,
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_HTTP_REQUEST: NO_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OTHER_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OTHER_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: OTHER_TLS,
  ERR_SSL_SSL_TLS_ALERT_HANDSHAKE_FAILURE: OTHER_TLS,
  ERR_SSL_NO_SHARED_CIPHER: OTHER_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
  ERR_SSL_TLS_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
};

/**
 * What the codes of an error and its causes, outermost first, say about the connection: a `SurveyExportError` if no
 * waiting helps, a `ConnectionFault` if it may pass, undefined if none of them is known.
 */
export function connectionFaultOf(
  codes: readonly string[],
  cause: unknown,
): ConnectionFault | SurveyExportError | undefined {
  const final = codes.map((code) => FINAL[code]).find((each) => each !== undefined);
  if (final !== undefined) return finalFault(final.facts, final.advice, cause);
  const [unknown] = codes.filter((code) => /CERT|^ERR_TLS/.test(code));
  if (unknown !== undefined) {
    return finalFault(say`The service's certificate was not accepted (${fixed(unknown)}).`, TRUST, cause);
  }
  const reason = codes.map(passing).find((each) => each !== undefined);
  return reason && new ConnectionFault(reason, { cause });
}

function passing(code: string): Message | undefined {
  if (code.startsWith("HPE_")) return NO_HTTP;
  return code.startsWith("ERR_SSL") ? say`no secure connection is possible (${fixed(code)})` : PASSING[code];
}

/** A failure of the connection that waiting does not fix, for any request. */
export const finalFault = (facts: Message, advice: Message, cause: unknown): SurveyExportError =>
  new SurveyExportError("config", "no_answer", facts, { advice, cause, scope: "run" });
