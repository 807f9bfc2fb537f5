import { fixed, SurveyExportError, say } from "@survey-export/core";
import type { Agent, Dispatcher } from "undici";

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

/**
 * Reads `HTTP_PROXY` and `HTTPS_PROXY`, in either case. A proxy without a scheme is an http proxy, as for curl.
 * `HTTP_PROXY` serves https too if there is no `HTTPS_PROXY`.
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
  if (url && /^(https?|socks5?):$/.test(url.protocol) && url.hostname !== "" && isDecodable(url))
    return { variable, url };
  throw new SurveyExportError(
    "config",
    "invalid_configuration",
    say`The environment variable ${fixed(variable)} is not a proxy's address. Write it like http://user:password@proxy.example.com:3128, with each % of the password as %25, or remove it.`,
  );
}

/** undici decodes both. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/**
 * A dispatcher that takes these proxies, except for this machine itself (the key must not leave it in clear) and for the
 * hosts of `NO_PROXY`.
 */
export async function throughProxies(
  direct: Dispatcher,
  options: Agent.Options,
  { http, https }: ProxySettings,
): Promise<Dispatcher> {
  // undici as a whole is loaded only for a proxy: each start would wait for it.
  const { default: undici } = await import("undici");
  const proxied = new undici.EnvHttpProxyAgent({
    ...options,
    httpProxy: http?.url.href ?? "",
    httpsProxy: https?.url.href ?? "",
  });
  return direct.compose(
    (dispatch) => (request, handler) =>
      isThisMachine(new URL(String(request.origin)).hostname)
        ? dispatch(request, handler)
        : proxied.dispatch(request, handler),
  );
}

/** `hostname` as `URL` writes it. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "");
  return host === "[::1]" || /^127(\.\d+){3}$/.test(host) || /^(.+\.)?localhost$/.test(host);
}
