import { beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { started } from "../support/client.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await started();
});

const at = (path: string, init?: RequestInit) => fetch(new URL(path, sandbox.url), init);

describe("the page at /", () => {
  it("is one document that asks nobody but the sandbox", async () => {
    const answer = await at("/?from=a-bookmark");
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy");
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; connect-src 'self'; /,
    );
    expect(text).not.toMatch(/(src|href)="(?!data:)/);
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  });

  it("is not a request of the service, and neither is its data", async () => {
    await at("/");
    await at("/sandbox/page-data");
    expect(sandbox.service.stats).toMatchObject({ requests: 0, malformed: 0 });
  });

  it("leaves every other path and method to the service", async () => {
    const key = { authorization: `Basic ${sandbox.apiKey}` };
    expect((await at("/index.html", { headers: key })).status).toBe(404);
    expect((await at("/", { method: "POST", headers: key })).status).toBe(405);
    expect(sandbox.service.stats).toMatchObject({ requests: 2, malformed: 2 });
  });
});
