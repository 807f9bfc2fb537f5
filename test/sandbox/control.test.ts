import { request } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { SURVEY_IDS, startSandbox } from "../../sandbox/index.ts";
import { testSandbox } from "../support/sandbox.ts";

const surveys = [
  { id: "1", responses: [{ uuid: "a", collected_at: "2026-01-01T00:00:00.000000Z", respondent_uuid: "p" }] },
];
const sandbox = await testSandbox({ surveys });
const { port } = new URL(sandbox.url);
beforeEach(() => sandbox.service.clearFaults());

/** One request with exactly these headers, and what node:http adds: Host and lengths. */
function send(method: string, path: string, headers: Record<string, string> = {}, body = "") {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at in every detail
  return new Promise<{ status?: number; headers: object; body: any }>((resolve, reject) => {
    const options = { method, headers, agent: false };
    const outgoing = request(new URL(path, sandbox.url), options, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode!, headers: incoming.headers, body: JSON.parse(text) }),
      );
    });
    outgoing.on("error", reject).end(body);
  });
}

const COLLECT = "/sandbox/collect?survey_id=1&count=1";
const FAULTS = '[{ "on": "any", "reply": "status_503" }]';
const JSON_BODY = { "content-type": "application/json" };
const count = (): number => sandbox.service.truth.count("1");
const faults = (): number => sandbox.service.activeFaults.length;

describe("a control route", () => {
  it("does what the service does: collect, remove, faults, counts, truth", async () => {
    const post = async (path: string, value: unknown) =>
      (await send("POST", `/sandbox/${path}`, JSON_BODY, JSON.stringify(value))).body;
    const get = async (path: string) => (await send("GET", `/sandbox/${path}`)).body;
    const { uuids } = (await send("POST", "/sandbox/collect?survey_id=1&count=3")).body;
    expect(uuids).toHaveLength(3);
    const newest = await get("truth?survey_id=1");
    expect(newest.map(({ uuid }: { uuid: string }) => uuid)).toEqual(["a", ...uuids]);
    expect(Math.abs(Date.parse(newest.at(-1).collected_at) - Date.now())).toBeLessThan(60_000);
    expect(await post("remove", { responses: [...uuids, "unknown"] })).toEqual({ removed: 3 });
    expect((await send("POST", "/sandbox/collect?survey_id=1&answers=x")).body).toEqual({
      error: "answers must be a whole number up to 999999.",
    });
    await send("POST", "/sandbox/collect?survey_id=1&count=50&answers=0");
    const { grown } = (await send("POST", "/sandbox/grow?answers=1")).body;
    expect(grown).toBeGreaterThan(10);
    expect((await send("POST", "/sandbox/grow")).body.grown).toBeLessThanOrEqual(grown);
    expect((await send("POST", "/sandbox/grow")).body).toEqual({ grown: 0 });
    expect(await post("surveys", { id: "2", responses: [] })).toEqual({ done: true });
    const change = JSON.stringify({ name: "Two" });
    await send("PATCH", "/sandbox/surveys?survey_id=2", JSON_BODY, change);
    expect(sandbox.service.truth.surveys()).toMatchObject([{ id: "2", name: "Two" }, { id: "1" }]);
    expect(await get("attributes?respondent_uuid=p")).toEqual([]);
    expect(await get("stats")).toMatchObject({ requests: 0 });
    expect(await post("faults", [{ name: "mine", on: "any", reply: "slow" }])).toEqual({ done: true });
    expect(faults()).toBe(1);
    await send("DELETE", "/sandbox/faults?name=mine");
    expect(faults()).toBe(0);
    expect(await post("faults", [{ on: "any", reply: {} }])).toEqual({
      error:
        'No fault is called "[object Object]"; give a name from the catalogue, or an object with a kind.',
    });
    expect(await post("faults", {})).toEqual({ error: "The body is not a list; send a list, also of one." });
    expect(await send("POST", "/sandbox/collect?survey_id=9")).toMatchObject({
      status: 400,
      body: { error: 'There is no survey "9" to collect responses for.' },
    });
    expect((await send("GET", "/sandbox/nothing")).status).toBe(404);
  });

  it.each(["127.0.0.1", "LocalHost", "[::1]", "localhost:80"])(
    "answers for the host %s, and to its own page",
    async (host) => {
      const before = count();
      expect((await send("POST", COLLECT, { host })).status).toBe(200);
      const origin = `http://${host}`.toLowerCase();
      expect((await send("POST", COLLECT, { host, origin })).status).toBe(200);
      expect(count()).toBe(before + 2);
    },
  );

  it.each(["localhost.evil.example:80", "evil.example:127.0.0.1", "user@127.0.0.1", "127.0.0.2", "[::]"])(
    "refuses the host %j, reads included",
    async (host) => {
      const error = `The request is for the host "${host}", and the control routes are for this machine only. Ask 127.0.0.1, localhost or [::1].`;
      const before = count();
      const refused = { status: 403, body: { error } };
      expect(await send("POST", COLLECT, { host })).toMatchObject(refused);
      expect(await send("GET", "/sandbox/page-data", { host })).toMatchObject(refused);
      expect(count()).toBe(before);
    },
  );

  it.each([
    ...["https://evil.example", "null", "", "http://127.0.0.1", "http://localhost:PORT"],
    ...["https://127.0.0.1:PORT", "http://127.0.0.1:PORT.evil.example", "http://127.0.0.1:PORT, http://x"],
  ])("refuses a page of %j, with a body and without", async (written) => {
    const origin = written.replace("PORT", port);
    const error = `The request comes from a page of "${origin}". Use the sandbox's own page at http://127.0.0.1:${port}/, or a program that sends no Origin.`;
    const before = count();
    expect(await send("POST", COLLECT, { origin })).toMatchObject({ status: 403, body: { error } });
    const withBody = await send("POST", "/sandbox/faults", { origin, ...JSON_BODY }, FAULTS);
    expect(withBody.status).toBe(403);
    expect({ count: count(), faults: faults() }).toEqual({ count: before, faults: 0 });
  });

  it.each([
    "text/plain",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/jsonp",
    "",
  ])("refuses a body of the type %j, which a page may send to any site", async (type) => {
    const error = "Send the body as JSON, with the header content-type: application/json.";
    const headers = type === "" ? {} : { "content-type": type };
    const refused = await send("POST", "/sandbox/faults", headers, FAULTS);
    expect(refused).toMatchObject({ status: 415, body: { error } });
    expect(faults()).toBe(0);
  });

  const LISTED = { id: "7", responses: [] };
  const fault = (reply: unknown) => [{ on: "any", reply }];
  it.each<[route: string, body: unknown, error: string]>([
    ["POST surveys", 7, "The body is not an object; send one with id, responses, type, "],
    ["POST surveys", { id: "7" }, "The body has no responses."],
    ["POST surveys", { ...LISTED, id: 7 }, "id of the body is not a text with at least one character."],
    ["POST surveys", { id: "7", responses: [{}] }, "Entry 1 of responses of the body has no collected_at."],
    ["POST surveys", { id: "7", responses: [{ collected_at: "now" }] }, 'surveys["7"]: collected_at of resp'],
    ["POST surveys", { id: "7", responses: { count: 1 } }, "responses of the body has no seed."],
    ["PATCH surveys?survey_id=1", { enabled: "no" }, "enabled of the body is not true or false."],
    ["POST remove", { responses: "a" }, "responses of the body is not a list; send a list, also of one."],
    ["POST faults", [null], "Entry 1 of the body is not an object; send one with on, reply, "],
    ["POST faults", fault({ kind: "status" }), "reply of entry 1 of the body has no status."],
    ["POST faults", [{ on: "(", reply: "slow" }], "Invalid regular expression: /(/"],
  ])("says what is wrong with a body, and changes nothing: %s %j", async (route, value, error) => {
    const [method = "", path] = route.split(" ");
    const before = sandbox.service.truth.surveys();
    const answer = await send(method, `/sandbox/${path}`, JSON_BODY, JSON.stringify(value));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
    expect(Object.keys(answer.body)).toEqual(["error"]);
    expect([sandbox.service.truth.surveys(), faults()]).toEqual([before, 0]);
    expect(count()).toBeGreaterThan(0);
  });

  it("never allows another site anything", async () => {
    const asked = { origin: "https://evil.example", "access-control-request-method": "POST" };
    for (const method of ["OPTIONS", "GET"]) {
      const { headers } = await send(method, "/sandbox/stats", asked);
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

it("closes at once, even while a client waits; a taken port is named", async () => {
  const own = await startSandbox({ latencyMs: 60_000 });
  await expect(startSandbox({ port: Number(new URL(own.url).port) })).rejects.toThrow("EADDRINUSE");
  const waiting = fetch(`${own.url}/surveys/${SURVEY_IDS[0]}/responses`, {
    headers: { authorization: `Basic ${own.apiKey}` },
  });
  const rejected = expect(waiting).rejects.toThrow();
  await expect.poll(() => own.service.load.inFlight).toBe(1);
  await own.close();
  await rejected;
});
