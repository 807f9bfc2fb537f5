import type { Dispatcher, Agent as Undici } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import type { ProxySettings } from "./proxy.ts";

/**
 * Sends requests, through the proxies of the environment if there are any. undici as a whole is loaded only for a proxy:
 * each start would wait for it.
 */
export async function createDispatcher(options: Undici.Options, proxies: ProxySettings): Promise<Dispatcher> {
  const direct: Dispatcher = new Agent(options);
  if (proxies.http === undefined && proxies.https === undefined) return direct;
  const { throughProxies } = await import("./proxied-dispatcher.ts");
  return throughProxies(direct, options, proxies);
}

/** Errors of connections to a proxy, with the variable that names it. */
export const proxyErrors = new WeakMap<object, string>();
