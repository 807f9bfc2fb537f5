import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll } from "vitest";
import { freePort } from "./server.ts";

export interface Postgres {
  readonly port: number;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so root runs it as the user that every Linux has. */
const NOBODY = 65_534;

/** An empty PostgreSQL on a free port of this machine. Its user is "survey", without a password. */
export async function startPostgres(): Promise<Postgres> {
  const bin = binaries();
  const data = mkdtempSync(join(tmpdir(), "postgres-"));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const options = { ...user, cwd: data, env: { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8" } };
  const initial = [
    "--username=survey",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-sync",
    `--pgdata=${data}/db`,
  ];
  execFileSync(join(bin, "initdb"), initial, { ...options, stdio: "pipe" });
  const port = await freePort();
  const server = spawn(
    join(bin, "postgres"),
    ["-D", `${data}/db`, "-h", "127.0.0.1", "-p", `${port}`, "-k", data, "-c", "fsync=off"],
    { ...options, stdio: "ignore" },
  );
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  while (!isReady(bin, port)) {
    if (server.exitCode !== null) throw new Error("PostgreSQL ended at its start.");
    await wait(200);
  }
  return {
    port,
    stop: async () => {
      server.kill("SIGINT");
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL for the tests of a file, which is stopped after them. */
export async function testPostgres(): Promise<Postgres> {
  const postgres = await startPostgres();
  afterAll(postgres.stop);
  return postgres;
}

function binaries(): string {
  const found = globSync("/usr/lib/postgresql/*/bin/postgres").toSorted().at(-1);
  if (found === undefined) throw new Error("PostgreSQL is not installed. Run: apt-get install postgresql");
  return join(found, "..");
}

const isReady = (bin: string, port: number): boolean =>
  spawnSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", `${port}`]).status === 0;
