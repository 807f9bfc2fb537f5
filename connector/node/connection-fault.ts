import {
  ConnectionFault,
  connectionFaultOf,
  finalFault,
  fixed,
  reasonOf,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { proxyErrors } from "./proxy.ts";

/** Such a service hangs up after the handshake, and the HTTP client does not pass its reason on. */
const CUT_BEFORE_ANY_ANSWER = say`the connection was cut before any answer, as happens if the service demands a client certificate`;

/** The request that failed. */
export interface FailedRequest {
  /** The environment variable that names its proxy, if it may have used one. */
  readonly proxyVariable: string | undefined;
  /** Over https, from a service that has not answered a single request yet. */
  readonly isFirstOfHttps: boolean;
}

/**
 * A connection's failure in words for the user: a `ConnectionFault` if it may pass, and a `SurveyExportError` if no waiting
 * helps.
 */
export function describeFault(thrown: unknown, { proxyVariable, isFirstOfHttps }: FailedRequest): unknown {
  if (thrown instanceof SurveyExportError || !(thrown instanceof Error)) return thrown;
  const isNoHttp = chainOf(thrown).some(({ name }) => name === "HTTPParserError");
  const codes = isNoHttp ? ["HPE_INVALID"] : codesOf(thrown);
  if (codes.includes("UND_ERR_RES_EXCEEDED_MAX_SIZE")) return tooLarge();
  const status = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(thrown.message)?.[1];
  if (status !== undefined) return proxyRefusal(Number(status), proxyVariable ?? "HTTPS_PROXY", thrown);
  const variable = proxyOf(thrown, proxyVariable);
  const isCut = codes.includes("UND_ERR_SOCKET") && isFirstOfHttps && variable === undefined;
  if (isCut) return new ConnectionFault(CUT_BEFORE_ANY_ANSWER, { cause: thrown });
  const fault = connectionFaultOf(codes, thrown) ?? thrown;
  if (variable === undefined) return fault;
  const reason = fault instanceof SurveyExportError ? fault.facts : reasonOf(fault);
  return new ConnectionFault(say`the proxy that ${fixed(variable)} names cannot be reached: ${reason}`, {
    cause: thrown,
  });
}

/** The error's code and those of its causes: the HTTP client wraps what the socket says. */
const codesOf = (thrown: Error): string[] =>
  chainOf(thrown).flatMap((error) => {
    const { code } = error as { code?: unknown };
    return typeof code === "string" ? [code] : [];
  });

function chainOf(thrown: unknown, depth = 4): Error[] {
  if (!(thrown instanceof Error) || depth === 0) return [];
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : undefined;
  return [thrown, ...chainOf(first, depth - 1), ...chainOf(thrown.cause, depth - 1)];
}

function proxyOf(thrown: Error, proxyVariable: string | undefined): string | undefined {
  const marked = chainOf(thrown)
    .map((error) => proxyErrors.get(error))
    .find((variable) => variable !== undefined);
  return marked ?? (/^(Secure)?ProxyConnectionError$/.test(thrown.name) ? proxyVariable : undefined);
}

function proxyRefusal(status: number, variable: string, cause: Error): Error {
  const proxy = say`The proxy that ${fixed(variable)} names`;
  if (status === 407) {
    return finalFault(
      say`${proxy} demands a user name and a password (status 407).`,
      say`Write them into ${fixed(variable)}, like http://user:password@host:port.`,
      cause,
    );
  }
  if (status < 500 && status !== 408 && status !== 429) {
    return finalFault(
      say`${proxy} refuses to connect to the service (status ${status}).`,
      say`Allow the service's host there, or name it in NO_PROXY.`,
      cause,
    );
  }
  return new ConnectionFault(
    say`the proxy that ${fixed(variable)} names could not reach the service, status ${status}`,
    { cause },
  );
}

export function tooLarge(): SurveyExportError {
  return new SurveyExportError(
    "system",
    "too_large",
    say`The service sent a body of more than 64 MB, which is too large for a page of responses.`,
    { advice: say`Lower items_per_page, and report this to the service if it continues.` },
  );
}
