import { type Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { isThisMachine, type ProxySettings, proxyErrors } from "./proxy.ts";

/**
 * A dispatcher that takes the proxies of the environment, except for this machine itself (the key must not leave it in
 * clear) and for the hosts of `NO_PROXY`.
 */
export function throughProxies(
  direct: Dispatcher,
  options: Agent.Options,
  proxies: ProxySettings,
): Dispatcher {
  const proxied = new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxies.http?.url.href ?? "",
    httpsProxy: proxies.https?.url.href ?? "",
    clientFactory: (origin, given) => marking(origin, given, proxies),
    factory: (origin, given) => marking(origin, given, proxies),
  });
  return direct.compose(
    (dispatch) => (request, handler) =>
      isThisMachine(new URL(String(request.origin)).hostname)
        ? dispatch(request, handler)
        : proxied.dispatch(request, handler),
  );
}

/** A pool that notes which errors come from connecting to a proxy. */
function marking(origin: string | URL, options: object, { http, https }: ProxySettings): Pool {
  const { origin: address } = new URL(origin);
  const proxy = [https, http].find((each) => each?.url.origin === address);
  const { connect } = options as { connect?: Connect };
  if (proxy === undefined || typeof connect !== "function") return new Pool(origin, options);
  const marked: Connect = (given, callback) =>
    connect(given, (error, socket) => {
      if (error) proxyErrors.set(error, proxy.variable);
      callback(error, socket);
    });
  return new Pool(origin, { ...options, connect: marked as Pool.Options["connect"] & Connect });
}

type Connect = (options: unknown, callback: (error: Error | null, socket: unknown) => void) => void;
