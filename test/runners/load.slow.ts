import { execFileSync } from "node:child_process";
import { chownSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import build from "../build.ts";
import { pythonWith } from "../python/virtual-environment.ts";
import { run } from "./run.ts";
import { type ServiceToLoad, startService } from "./service.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const streams = ["survey_responses", "respondent_responses", "respondent_attributes"] as const;
const KEYS = {
  survey_responses: "uuid",
  respondent_responses: "uuid",
  respondent_attributes: "respondent_uuid || ' ' || id",
};

let service: ServiceToLoad;

beforeAll(() => build());

beforeEach(async () => {
  service = await startService();
  const catalog = { streams: streams.map((name) => ({ stream: { name }, sync_mode: "incremental" })) };
  writeFileSync(join(service.folder, "catalog.json"), JSON.stringify(catalog));
});

afterEach(() => service.close());

async function sync(): Promise<void> {
  const words = [service.folder, process.execPath, path("../../dist/source-survey-export.js")];
  const { code, stderr } = await run(path("../../examples/sync.sh"), words, { cwd: service.folder });
  expect(code, stderr).toBe(0);
}

const fields = (stream: string): string[] =>
  Object.keys(JSON.parse(readFileSync(path(`../../schemas/streams/${stream}.json`), "utf8")).properties);

/** Loads twice, with new responses in between, and once more what is loaded already. */
async function loadTwice(
  load: () => Promise<void>,
  ask: (query: string) => Promise<string[]>,
): Promise<void> {
  await sync();
  await load();
  service.collect();
  await sync();
  await load();
  await load();
  const truth = service.truth();
  for (const stream of streams) {
    const keys = await ask(`select ${KEYS[stream]} from ${stream}`);
    expect(keys.toSorted()).toEqual(truth[stream]);
    const columns = await ask(
      `select column_name from information_schema.columns where table_name = '${stream}'`,
    );
    expect(columns.toSorted()).toEqual(fields(stream).toSorted());
  }
}

test("DuckDB's own program loads the messages, and each record once", async () => {
  const program = join(dirname(pythonWith("duckdb", ["duckdb-cli==1.5.6"])), "duckdb");
  const duckdb = async (words: string[], input = "") => {
    const { code, stdout, stderr } = await run(program, ["surveys.duckdb", ...words], {
      cwd: service.folder,
      input,
    });
    expect(code, stderr).toBe(0);
    return stdout.split("\n").filter(Boolean);
  };
  const sql = readFileSync(path("../../examples/load/duckdb.sql"), "utf8");
  await loadTwice(
    async () => void (await duckdb([], sql)),
    (query) => duckdb(["-list", "-noheader", "-c", query]),
  );
  const [newest] = await duckdb([
    "-list",
    "-noheader",
    "-c",
    "select typeof(collected_at) from survey_responses limit 1",
  ]);
  expect(newest).toBe("TIMESTAMP WITH TIME ZONE");
});

describe("Postgres", () => {
  let programs: string;
  let data: string;
  let port: number;
  /** Postgres refuses to run as root. */
  let owner: { uid: number; gid: number } | Record<string, never>;

  beforeAll(async () => {
    programs = dirname(realpathSync(execFileSync("which", ["postgres"], { encoding: "utf8" }).trim()));
    data = execFileSync("mktemp", ["-d", "/tmp/postgres-XXXXXX"], { encoding: "utf8" }).trim();
    owner = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};
    if (owner.uid !== undefined) chownSync(data, owner.uid, owner.gid);
    port = await freePort();
    const options = { cwd: data, ...owner };
    const made = await run(join(programs, "initdb"), ["-D", data, "-U", "tester", "-A", "trust"], options);
    expect(made.code, made.stderr).toBe(0);
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    const started = await run(
      join(programs, "pg_ctl"),
      ["-D", data, "-w", "-l", `${data}/log`, "-o", settings, "start"],
      options,
    );
    expect(started.code, started.stderr).toBe(0);
  });

  afterAll(async () => {
    await run(join(programs, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"], { cwd: data, ...owner });
    execFileSync("rm", ["-rf", data]);
  });

  test("takes the messages by psql, and each record once", async () => {
    const psql = async (...words: string[]) => {
      const address = `postgresql://tester@127.0.0.1:${port}/postgres`;
      const { code, stdout, stderr } = await run("psql", [address, "-X", "-q", ...words], {
        cwd: service.folder,
      });
      expect(code, stderr).toBe(0);
      return stdout.split("\n").filter(Boolean);
    };
    await loadTwice(
      async () => void (await psql("-f", path("../../examples/load/postgres.sql"))),
      (query) => psql("-At", "-c", query),
    );
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
