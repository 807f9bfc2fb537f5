import {
  bodyTooLarge,
  ConnectionFault,
  connectionFaultOf,
  finalFault,
  fixed,
  reasonOf,
  SurveyExportError,
  say,
} from "@survey-export/core";

/**
 * A connection's failure in words for the user: a `ConnectionFault` if it may pass, and a `SurveyExportError` if no waiting
 * helps. `proxyVariable`: the environment variable that names the request's proxy, if it may have used one.
 */
export function describeFault(thrown: unknown, proxyVariable: string | undefined): unknown {
  if (thrown instanceof SurveyExportError || !(thrown instanceof Error)) return thrown;
  const codes = codesOf(thrown);
  if (codes.includes("UND_ERR_RES_EXCEEDED_MAX_SIZE")) return bodyTooLarge();
  const status = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(thrown.message)?.[1];
  if (status !== undefined) return proxyRefusal(Number(status), proxyVariable ?? "HTTPS_PROXY", thrown);
  const fault = connectionFaultOf(codes, thrown) ?? thrown;
  if (proxyVariable === undefined || fault instanceof SurveyExportError) return fault;
  const cause = say`the proxy that ${fixed(proxyVariable)} names may be the cause`;
  return new ConnectionFault(say`${reasonOf(fault)}, and ${cause}`, { cause: thrown });
}

/** The error's code and those of its causes: the HTTP client wraps what the socket says. */
function codesOf(thrown: unknown, depth = 4): string[] {
  if (!(thrown instanceof Error) || depth === 0) return [];
  const { code } = thrown as { code?: unknown };
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : undefined;
  return [
    ...(typeof code === "string" ? [code] : []),
    ...codesOf(first, depth - 1),
    ...codesOf(thrown.cause, depth - 1),
  ];
}

function proxyRefusal(status: number, variable: string, cause: Error): Error {
  const proxy = say`proxy that ${fixed(variable)} names`;
  if (status >= 500 || status === 408 || status === 429)
    return new ConnectionFault(say`the ${proxy} could not reach the service, status ${status}`, { cause });
  return finalFault(
    say`The ${proxy} refuses to connect to the service (status ${status}).`,
    say`Check the user name and the password in ${fixed(variable)}, allow the service's host there, or name it in NO_PROXY.`,
    cause,
  );
}
