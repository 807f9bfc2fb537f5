import { fixed, SurveyExportError, say } from "@survey-export/core";

/** The proxies that the environment names, as operators expect. */
export interface ProxySettings {
  readonly http: Proxy | undefined;
  readonly https: Proxy | undefined;
}

interface Proxy {
  /** The variable that names it. */
  readonly variable: string;
  readonly url: URL;
}

/** Errors of connections to a proxy, with the variable that names it. */
export const proxyErrors = new WeakMap<object, string>();

/**
 * Reads `HTTP_PROXY` and `HTTPS_PROXY`, in either case. A proxy without a scheme is an http proxy, as for curl.
 * `HTTP_PROXY` serves https too if there is no `HTTPS_PROXY`.
 *
 * @throws SurveyExportError `invalid_configuration` that names the variable, never its value: it may hold a password
 */
export function proxySettings(env: Readonly<NodeJS.ProcessEnv>): ProxySettings {
  const http = proxyIn(env, "http_proxy");
  return { http, https: proxyIn(env, "https_proxy") ?? http };
}

function proxyIn(env: Readonly<NodeJS.ProcessEnv>, lowerCase: string): Proxy | undefined {
  const variable = env[lowerCase] ? lowerCase : lowerCase.toUpperCase();
  const text = env[variable]?.trim() ?? "";
  if (text === "") return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^(https?|socks5?):$/.test(url.protocol) && url.hostname !== "") {
    refuseUndecodable(variable, url);
    return { variable, url };
  }
  throw new SurveyExportError(
    "config",
    "invalid_configuration",
    say`The environment variable ${fixed(variable)} is not a proxy's address. Write it like http://proxy.example.com:3128, or remove it.`,
  );
}

function refuseUndecodable(variable: string, { username, password }: URL): void {
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
  } catch {
    throw new SurveyExportError(
      "config",
      "invalid_configuration",
      say`The user name or the password in the environment variable ${fixed(variable)} cannot be decoded. Write each % in them as %25.`,
    );
  }
}

/** `hostname` as `URL` writes it. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "");
  return host === "[::1]" || /^127(\.\d+){3}$/.test(host) || /^(.+\.)?localhost$/.test(host);
}
