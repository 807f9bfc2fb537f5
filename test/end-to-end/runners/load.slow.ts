import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { STREAMS } from "@survey-export/core";
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { RESUMABLE } from "../../../tools/demo/expected-keys.ts";
import { BIN } from "../../support/bin.ts";
import build from "../../support/build.ts";
import { startPostgres } from "../../support/postgres.ts";
import { pythonWith } from "../../support/virtual-environment.ts";
import { run } from "./support/run.ts";
import { type ServiceToLoad, startService } from "./support/service.ts";

vi.setConfig({ testTimeout: 1_200_000 });

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const KEYS: Readonly<Record<string, readonly string[]>> = {
  survey_responses: ["uuid"],
  respondent_responses: ["uuid"],
  respondent_attributes: ["respondent_uuid", "id"],
  survey_answers: ["response_uuid", "question_id", "position"],
};
/** Of each stream but the snapshots, for which the examples have no tables, the fields of its records. */
const streams = RESUMABLE.map((name) => ({
  name,
  fields: Object.keys(STREAMS[name].schema.properties),
}));

let service: ServiceToLoad;

beforeAll(() => build());

beforeEach(async () => {
  service = await startService();
  const catalog = { streams: streams.map(({ name }) => ({ stream: { name }, sync_mode: "incremental" })) };
  writeFileSync(join(service.folder, "catalog.json"), JSON.stringify(catalog));
});

afterEach(() => service.close());

async function sync(): Promise<void> {
  const { code, stderr } = await run(process.execPath, [BIN, "sync", service.folder], {
    cwd: service.folder,
  });
  expect(code, stderr).toBe(0);
}

/** The distinct keys of a stream's records in `messages/`, the parts of a key joined by a space. */
function keysWritten(stream: string): string[] {
  const messages = join(service.folder, "messages");
  const lines = readdirSync(messages).flatMap((name) =>
    readFileSync(join(messages, name), "utf8").split("\n"),
  );
  const records = lines.filter((line) => line.startsWith(`{"type":"RECORD","record":{"stream":"${stream}"`));
  const keys = records.map((line) => {
    const { data } = JSON.parse(line).record;
    return KEYS[stream]!.map((field) => data[field]).join(" ");
  });
  return [...new Set(keys)].toSorted();
}

/** Loads twice, with new responses in between, and once more what is loaded already. */
async function loadTwice(
  load: () => Promise<unknown>,
  ask: (query: string) => Promise<string[]>,
): Promise<void> {
  await sync();
  await load();
  service.collect();
  await sync();
  await load();
  await load();
  const truth: Readonly<Record<string, string[]>> = service.truth();
  for (const { name, fields } of streams) {
    const keys = await ask(`select ${KEYS[name]!.join(" || ' ' || ")} from ${name}`);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.toSorted()).toEqual(truth[name] ?? keysWritten(name));
    const columns = await ask(
      `select column_name from information_schema.columns where table_name = '${name}'`,
    );
    expect(columns.toSorted()).toEqual(fields.toSorted());
  }
}

async function duckdb(words: string[], input = ""): Promise<string[]> {
  const program = join(dirname(pythonWith("duckdb", ["duckdb-cli==1.5.6"])), "duckdb");
  const { code, stdout, stderr } = await run(program, ["surveys.duckdb", ...words], {
    cwd: service.folder,
    input,
  });
  expect(code, stderr).toBe(0);
  return stdout.split("\n").filter(Boolean);
}

test("DuckDB's own program loads the messages, and each record once", async () => {
  const sql = readFileSync(path("../../../examples/load/duckdb.sql"), "utf8");
  await loadTwice(
    () => duckdb([], sql),
    (query) => duckdb(["-list", "-noheader", "-c", query]),
  );
});

test("the command of the first sync shows the NPS of each question", async () => {
  await sync();
  const readme = readFileSync(path("../../../examples/README.md"), "utf8");
  const statement = /^duckdb -c "(.*?)"$/ms.exec(readme)![1]!;
  const query = statement.replace(".survey-export/first.jsonl", join(service.folder, "messages", "*.jsonl"));
  const shown = await duckdb(["-list", "-noheader", "-c", query]);
  const messages = join(service.folder, "messages");
  const tags = new Map<string, string[]>();
  for (const line of readdirSync(messages).flatMap((name) =>
    readFileSync(join(messages, name), "utf8").split("\n"),
  )) {
    if (!line.startsWith('{"type":"RECORD","record":{"stream":"survey_answers"')) continue;
    const { survey_name, question_id, nps_tag: tag } = JSON.parse(line).record.data;
    const asked = `${survey_name}|${question_id}`;
    if (tag !== null) tags.set(asked, [...(tags.get(asked) ?? []), tag]);
  }
  expect(tags.size).toBeGreaterThan(1);
  expect(shown).toHaveLength(tags.size);
  for (const [asked, all] of tags) {
    const count = (wanted: string) => all.filter((tag) => tag === wanted).length;
    const nps = (100 * (count("promoter") - count("detractor"))) / all.length;
    const [, , answers, score] = shown.find((row) => row.startsWith(`${asked}|`))!.split("|");
    expect(Number(answers)).toBe(all.length);
    expect(Math.abs(Number(score) - nps)).toBeLessThanOrEqual(0.5);
  }
});

test("PostgreSQL takes the messages by psql, and each record once", async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const psql = async (...words: string[]) => {
    const address = `postgresql://survey@127.0.0.1:${postgres.port}/postgres`;
    const { code, stdout, stderr } = await run("psql", [address, "-X", "-q", ...words], {
      cwd: service.folder,
    });
    expect(code, stderr).toBe(0);
    return stdout.split("\n").filter(Boolean);
  };
  await loadTwice(
    () => psql("-f", path("../../../examples/load/postgres.sql")),
    (query) => psql("-At", "-c", query),
  );
});
