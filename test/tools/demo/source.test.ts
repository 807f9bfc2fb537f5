import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { Source, verdict } from "../../../tools/demo/source.ts";
import { animated, Terminal } from "../../../tools/demo/terminal.ts";

let folder: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "source-"));
  sandbox = await startSandbox();
});
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const CATALOG = { streams: [{ stream: { name: "answers" }, primary_key: [["id"]] }] };
const record = (id: number, text: string) => ({
  type: "RECORD",
  record: { stream: "answers", data: { id, text } },
});

/** A program that prints a catalog, and these messages as its read. */
function source(messages: readonly object[], then = ""): Promise<Source> {
  const bin = join(folder, "program.mjs");
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  writeFileSync(
    bin,
    `process.stdout.write(process.argv[2] === "catalog" ? ${JSON.stringify(JSON.stringify(CATALOG))} : ${JSON.stringify(lines)}); if (process.argv[2] === "read") { ${then} }`,
  );
  chmodSync(bin, 0o755);
  return Source.prepare(folder, bin, sandbox);
}

test("of a record that came twice, the key counts once and the later one stays", async () => {
  const own = await source([record(1, "old"), record(2, "other"), record(1, "new")]);
  await own.read("first.jsonl", () => false);
  expect([own.delivered, own.count]).toEqual([3, 2]);
  expect([...own.records.get("answers")!.values()]).toEqual([
    { id: 1, text: "new" },
    { id: 2, text: "other" },
  ]);
});

test("a program is killed as soon as that is asked for, and a line that this cut short is no message", async () => {
  const own = await source(
    [record(1, "")],
    'process.stdout.write(\'{"type":"REC\'); setInterval(() => {}, 1000);',
  );
  const { isKilled } = await own.read("first.jsonl", () => own.count === 1);
  expect([isKilled, own.count]).toEqual([true, 1]);
});

test("a read that fails says why", async () => {
  const error = { type: "TRACE", trace: { error: { message: "The API key is wrong." } } };
  const own = await source([error], "process.exitCode = 1;");
  await expect(own.read("first.jsonl", () => false)).rejects.toThrow(
    "The program ended with 1: The API key is wrong.",
  );
});

test("a comparison counts what is missing, and a missing record is an error", async () => {
  const own = await source([record(1, "")]);
  await own.read("first.jsonl", () => false);
  const complete = own.compare(new Map([["answers", new Set(["[1]"])]]));
  expect(verdict(complete)).toMatch(/^ {3}stream .* missing\n {3}answers +1 +1 +0$/);
  expect(() => verdict(own.compare(new Map([["answers", new Set(["[1]", "[2]"])]])))).toThrow(
    "1 records are missing.",
  );
});

test("a terminal that draws no line again gets the last state of a bar", () => {
  let written = "";
  const terminal = new Terminal(false, (text) => {
    written += text;
  });
  terminal.bar(1, 4);
  terminal.bar(2, 4);
  terminal.say("end");
  expect(written).toBe(`   ${"█".repeat(20)}${"░".repeat(20)}  50 %  2 records\nend\n`);
});

test("a picture shows each line from its time on, the last screen without animation, and no markup", () => {
  const line = { row: 0, look: undefined, fromMs: 1_000 };
  const svg = animated([
    { ...line, text: "<half>", untilMs: 4_000 },
    { ...line, text: "done", fromMs: 4_000 },
  ]);
  const row = (text: string) => svg.split("\n").find((one) => one.includes(`>${text}<`));
  // The last screen stays for eight seconds, so all of it takes twelve.
  expect(svg).toContain("animation:12000ms");
  expect(svg).toContain("0%{opacity:0}8.33%{opacity:1}33.33%{opacity:0}");
  expect(row("&lt;half&gt;")).toMatch(/class="t k\d+ gone"/);
  expect(row("done")).toMatch(/class="t k\d+"/);
  expect(svg.indexOf("animation-name")).toBeGreaterThan(svg.indexOf("prefers-reduced-motion:no-preference"));
});
