import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";

const surveys = [{ id: "1", responses: [{ collected_at: "2026-01-01T00:00:00.000000Z" }] }];
let sandbox: Sandbox;
let port: string;
beforeAll(async () => {
  sandbox = await startSandbox({ surveys });
  ({ port } = new URL(sandbox.url));
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.service.clearFaults());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
}

/** One request with exactly these headers, and what node:http adds: Host, lengths. A body that does not end never ends. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
  ends = true,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, sandbox.url), { method, headers, agent: false }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode,
          headers: incoming.headers,
          error: JSON.parse(text).error,
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.setTimeout(30_000, () => outgoing.destroy(new Error("No answer came.")));
    if (body !== undefined) outgoing.write(body);
    if (ends) outgoing.end();
  });
}

const COLLECT = "/sandbox/collect?survey_id=1&count=1";
const FAULTS = '[{ "on": "any", "reply": "status_503" }]';
const JSON_BODY = { "content-type": "application/json" };
const count = (): number => sandbox.service.truth.count("1");
const faults = (): number => sandbox.service.activeFaults.length;

describe("a control route", () => {
  it.each(["127.0.0.1", "localhost", "LocalHost", "[::1]", "127.0.0.1:9", "localhost:80"])(
    "answers for the host %s, and to its own page",
    async (host) => {
      const before = count();
      expect((await send("POST", COLLECT, { host })).status).toBe(200);
      expect((await send("POST", COLLECT, { host, origin: `http://${host}`.toLowerCase() })).status).toBe(
        200,
      );
      expect(count()).toBe(before + 2);
    },
  );

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "evil.example:127.0.0.1",
    "user@127.0.0.1",
    "127.0.0.2",
    "0.0.0.0",
    "[::]",
  ])("refuses the host %j, reads included", async (host) => {
    const error = `The request is for the host "${host}", and the control routes are for this machine only. Ask 127.0.0.1, localhost or [::1].`;
    const before = count();
    expect(await send("POST", COLLECT, { host })).toMatchObject({ status: 403, error });
    expect(await send("POST", COLLECT, { host, origin: `http://${host}` })).toMatchObject({ status: 403 });
    expect(await send("GET", "/sandbox/page-data", { host })).toMatchObject({ status: 403, error });
    expect(count()).toBe(before);
  });

  it("refuses a request without a host, as old programs send it", async () => {
    const text = await new Promise<string>((resolve, reject) => {
      let received = "";
      const socket = connect(Number(port), "127.0.0.1", () =>
        socket.write("GET /sandbox/stats HTTP/1.0\r\n\r\n"),
      );
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        received += chunk;
      });
      socket.on("error", reject).on("close", () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each([
    "https://evil.example",
    "null",
    "",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://localhost:PORT",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:PORT.evil.example",
    "http://127.0.0.1:PORT, http://evil.example",
  ])("refuses a page of %j, with a body and without", async (written) => {
    const origin = written.replace("PORT", port);
    const error = `The request comes from a page of "${origin}". Use the sandbox's own page at http://127.0.0.1:${port}/, or a program that sends no Origin.`;
    const before = count();
    expect(await send("POST", COLLECT, { origin })).toMatchObject({ status: 403, error });
    expect(await send("POST", "/sandbox/faults", { origin, ...JSON_BODY }, FAULTS)).toMatchObject({
      status: 403,
      error,
    });
    expect(await send("DELETE", "/sandbox/stats", { origin })).toMatchObject({ status: 403, error });
    expect([count(), faults()]).toEqual([before, 0]);
  });

  it.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=utf-8"])(
    "takes a body of the type %s",
    async (type) => {
      expect(await send("POST", "/sandbox/faults", { "content-type": type }, FAULTS)).toMatchObject({
        status: 200,
      });
      expect(faults()).toBe(1);
    },
  );

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/jsonp",
  ])("refuses a body of the type %s, which a page may send to any site", async (type) => {
    expect(await send("POST", "/sandbox/faults", { "content-type": type }, FAULTS)).toMatchObject({
      status: 415,
      error: `The body has the content type "${type}". Send JSON, with the header content-type: application/json.`,
    });
    expect(faults()).toBe(0);
  });

  it("refuses a body without a type", async () => {
    expect(await send("POST", "/sandbox/faults", { "transfer-encoding": "chunked" }, FAULTS)).toMatchObject({
      status: 415,
      error: "The body has no content type. Send JSON, with the header content-type: application/json.",
    });
    expect(faults()).toBe(0);
  });

  it("never allows another site anything", async () => {
    const asked = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    };
    for (const answer of [
      await send("OPTIONS", COLLECT, { origin: "https://evil.example", ...asked }),
      await send("OPTIONS", COLLECT, asked),
      await send("GET", "/sandbox/stats", { origin: "https://evil.example" }),
      await send("GET", "/sandbox/stats", {}),
    ]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it("takes a body of 16 MB, and no larger one", async () => {
    const most = 16 * 1024 * 1024;
    expect((await send("POST", "/sandbox/faults", JSON_BODY, FAULTS.padEnd(most))).status).toBe(200);
    expect(faults()).toBe(1);
    expect(await send("POST", "/sandbox/faults", JSON_BODY, FAULTS.padEnd(most + 1), false)).toMatchObject({
      status: 413,
      headers: { connection: "close" },
      error: "The body has more than 16 MB. Send its content in several requests.",
    });
    expect(faults()).toBe(1);
  });
});
