import { inject } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../../sandbox/index.ts";
import { N8nInstance, type N8nOptions } from "./n8n-instance.ts";
import { RestClient } from "./rest-client.ts";

export interface Leg {
  readonly sandbox: Sandbox;
  readonly n8n: N8nInstance;
  readonly rest: RestClient;
  /** Of the sandbox. */
  readonly credential: { readonly id: string; readonly name: string };
  stop(): Promise<void>;
}

export interface LegOptions extends N8nOptions {
  /** Default: the example surveys. */
  readonly sandbox?: SandboxOptions | Sandbox;
  /** Done before n8n starts. */
  readonly before?: (n8n: N8nInstance, sandbox: Sandbox) => Promise<void>;
}

/** A sandbox and a real n8n with its owner signed in. A `beforeAll` that returns `stop` stops them after the tests. */
export async function startLeg(name: string, { sandbox: served = {}, before, ...options }: LegOptions = {}) {
  const sandbox = "service" in served ? served : await startSandbox(served);
  const n8n = await N8nInstance.create(name, inject("n8n"), inject("tarball"), options);
  const stop = async (): Promise<void> => {
    await n8n.stop();
    await sandbox.close();
  };
  try {
    await before?.(n8n, sandbox);
    await n8n.start();
    const rest = await RestClient.setUp(n8n.url, inject("n8n"));
    const credential = await rest.createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    return { sandbox, n8n, rest, credential, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
