import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { HttpResponse } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { type RunOptions, records, runBin, statuses } from "../support/bin.ts";
import { testFolder } from "../support/folder.ts";
import { createListService, HEALTHY, type ListService } from "../support/list-service.ts";
import { startServer } from "../support/server.ts";
import { Replica, type SyncProgram, syncProgram } from "../support/sync.ts";
import { PLAIN } from "../support/sync-story.ts";

/*
 * The real program against the list service, which shares nothing with the sandbox, over a socket: late, broken and
 * malicious answers. That nothing is lost on such a service is proven in process, by the histories in this folder.
 */

/** Looks like nothing else. */
const KEY = "PLANTED-k3y-9f2c";
const MINUTE = 60_000_000;
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const folder = testFolder();

/** Responses to each survey, a minute apart, each by a person of their own. */
function serviceOf(count: number, ...surveys: readonly string[]): ListService {
  const service = createListService(PLAIN, new Map());
  for (const [at, survey] of surveys.entries()) {
    for (let number = 0; number < count; number++)
      service.add({
        uuid: uuid(100_000 * at + number),
        survey,
        at: number * MINUTE,
        person: uuid(900_000 + 100_000 * at + number),
      });
  }
  return service;
}

/** What a test answers in the service's place; a body that is neither text nor bytes is sent as JSON. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
/** Undefined leaves a request to the service, "nothing" leaves it without an answer. */
type Script = (path: string, page: () => HttpResponse) => Answer | "nothing" | undefined;

/** The list service on a socket, whose script and faults may change between two requests, and the program that reads its surveys again and again, each time from the state before. */
async function startService(service: ListService, script: Script = () => undefined) {
  const behaviour = { script, faults: HEALTHY };
  let asked = 0;
  const { origin, close } = await startServer((request, response) => {
    asked++;
    const path = (request.url ?? "").slice("/v2".length);
    const page = () => service.answer(path, behaviour.faults);
    const answer = behaviour.script(path, page) ?? page();
    if (answer === "nothing") return;
    const { status = 200, headers = {}, body = "" } = answer;
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  const replica = new Replica();
  const surveys = [...new Set(service.responses.map(({ survey }) => survey))];
  const config = (more: object) => ({ base_url: `${origin}/v2`, api_key: KEY, survey_ids: surveys, ...more });
  return {
    behaviour,
    service,
    replica,
    config,
    [Symbol.asyncDispose]: close,
    async sync(
      more: object = {},
      streams: SyncProgram["streams"] = ["survey_responses"],
      running?: RunOptions,
    ) {
      const before = asked;
      const ended = await syncProgram(folder, replica, { config: config(more), streams, ...running });
      return {
        code: ended.code,
        messages: ended.messages,
        output: ended.stdout + ended.stderr,
        requests: asked - before,
        statuses: streams.map((stream) => statuses(ended.messages, stream).at(-1)),
        counts: streams.map((stream) => records(ended.messages, stream).length),
      };
    },
  };
}

/** A page with other fields in the response of this number. */
const changing =
  (number: number, change: object): Script =>
  (_, page) => {
    const body = JSON.parse(page().body);
    for (const { response } of body.data)
      if (response?.uuid === uuid(number)) Object.assign(response, change);
    return { body };
  };

describe("a service that answers without end", () => {
  it("130 unreadable items, one a page, end the walk with a sentence, and come when they can be read", async () => {
    await using e = await startService(serviceOf(135, "a"));
    const newest = e.service.responses.slice(0, 130);
    e.behaviour.faults = { ...HEALTHY, unreadable: new Map(newest.map((one) => [one.uuid, "uuid"])) };
    const read = await e.sync({ items_per_page: 1 });
    expect(read.statuses).toEqual(["INCOMPLETE"]);
    expect(read.requests).toBeLessThan(200);
    expect(read.output).toContain("links lead in a circle");
    e.behaviour.faults = HEALTHY;
    const after = await e.sync();
    expect(after.statuses).toEqual(["COMPLETE"]);
    expect(after.counts[0]).toBeGreaterThanOrEqual(130);
  });

  it("a check of a silent one ends by itself, with a sentence", async () => {
    await using e = await startService(serviceOf(1, "a"), () => "nothing");
    const { stdout } = await runBin(await folder.words("check", { config: e.config({}) }));
    expect(stdout).toContain("no complete response within 25 s");
  });

  it.runIf(process.platform === "linux")(
    "five gzip pages of one field of 400 MB are refused, in bounded memory",
    async () => {
      const body = gzipSync(`{"data":[{"response":{"x":"${"a".repeat(400_000_000)}"}}]}`);
      const headers = { "Content-Encoding": "gzip" };
      await using e = await startService(serviceOf(1, "a", "b", "c", "d", "e"), () => ({ headers, body }));
      let megabytes = 0;
      const onStart = (child: ChildProcess): void => {
        const timer = setInterval(async () => {
          const text = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
          megabytes = Math.max(megabytes, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
        }, 20);
        child.once("close", () => clearInterval(timer));
      };
      const { code, output } = await e.sync({}, ["survey_responses"], { onStart });
      expect(code).toBe(1);
      expect(output).toMatch(/INCOMPLETE/);
      expect(output).toMatch(/"failure_type":"system_error"/);
      expect(megabytes).toBeGreaterThan(0);
      expect(megabytes).toBeLessThan(600);
    },
  );
});

describe("text from a service", () => {
  const codes = (code: (number: number) => string) => [...KEY].map((one) => code(one.charCodeAt(0))).join("");
  const SPELLINGS: Readonly<Record<string, string>> = {
    "as it is": KEY,
    "in capitals": KEY.toUpperCase(),
    "in small letters": KEY.toLowerCase(),
    "after Basic": `Authorization: Basic ${KEY}`,
    "as JSON in JSON": JSON.stringify(JSON.stringify(KEY)),
    "percent-encoded": codes((number) => `%${number.toString(16)}`),
    "in JSON's codes": codes((number) => `\\u00${number.toString(16)}`),
    "in HTML's codes": codes((number) => `&#x${number.toString(16)};`),
  };

  // Each waits for its second look.
  it.concurrent.each(Object.entries(SPELLINGS))(
    "the key, sent back %s, is in no message",
    async (_, sent) => {
      const page = (data: unknown[], next_url?: string) => ({
        body: { data, pagination_data: { has_more: next_url !== undefined, next_url } },
      });
      const item = (number: number) => ({
        response: { uuid: uuid(number), collected_at: "2026-01-01T00:00:00.000000Z" },
      });
      const answers = {
        rejected: { status: 400, body: `bad: ${sent}` },
        invalid: { status: 422, body: { [sent]: sent } },
        missing: { status: 404, body: sent, headers: { "X-Key": encodeURIComponent(sent) } },
        elsewhere: page([item(1)], `http://evil/${sent}`),
        other: page([item(2)], `/surveys/${sent}/responses`),
        redirect: { status: 302, headers: { Location: `/v2/x?${encodeURIComponent(sent)}` }, body: sent },
        item: page([{ response: { uuid: sent, collected_at: sent, [sent]: 1 } }]),
        refused: { status: 403, body: { error: sent } },
      };
      await using e = await startService(
        serviceOf(0),
        (path) => answers[path.split("/")[2] as keyof typeof answers],
      );
      const { code, output } = await e.sync({ survey_ids: Object.keys(answers) });
      expect(code).toBe(1);
      for (const spelling of Object.values(SPELLINGS)) expect(output).not.toContain(spelling);
      expect(output.toLowerCase()).not.toContain("planted");
    },
  );

  it.each(["constructor", "__proto__", "toString"])("%s is an id like any other", async (id) => {
    const service = createListService(PLAIN, new Map());
    for (let number = 0; number < 5; number++)
      service.add({ uuid: uuid(number), survey: id, person: id, at: number * MINUTE });
    await using e = await startService(service);
    const streams = ["survey_responses", "respondent_responses"];
    expect(await e.sync({}, streams)).toMatchObject({ code: 0, counts: [5, 5] });
    const second = await e.sync({ lookback_window: "PT0S" }, streams);
    expect(second.code).toBe(0);
    expect(second.counts[0]).toBeLessThan(5);
  });

  it("50,000 levels of an answer are cut, with a warning, and everything else is read", async () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    await using e = await startService(serviceOf(20, "a"), (path, page) => {
      const answer = changing(7, { answers: "DEEP" })(path, page) as { body: object };
      return { body: JSON.stringify(answer.body).replace('"DEEP"', deep) };
    });
    const read = await e.sync();
    expect(read).toMatchObject({ statuses: ["COMPLETE"], counts: [20] });
    expect(read.output).toMatch(/\(nested too deeply\).*\[undocumented\]/s);
  });

  it("a field name of 80,000 backslashes and 100,000 unknown fields make one short warning", async () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`f${n}`, n]));
    const change = { ["\\".repeat(80_000)]: 1, "\u202e\u0007": 1, ...fields };
    await using e = await startService(serviceOf(1, "a"), changing(0, change));
    const { code, counts, messages } = await e.sync();
    expect({ code, counts }).toEqual({ code: 0, counts: [1] });
    const log = messages.flatMap(({ log }) => (log ? [log.message] : [])).join("\n");
    expect(log.length).toBeLessThan(2_000);
    expect(log).toMatch(/and 99,98\d more/);
    for (const character of ["\u202e", "\u0007"]) expect(log).not.toContain(character);
  });
});
