import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../support/server.ts";
import { stopProcess } from "./n8n-instance.ts";

const DEBIAN_S = "/usr/bin/redis-server";

export interface Redis {
  readonly port: number;
  stop(): Promise<void>;
}

/** A Redis of its own on a free port of 127.0.0.1. It keeps nothing on disk. */
export async function startRedis(folder: string): Promise<Redis> {
  if (!existsSync(DEBIAN_S))
    throw new Error(`There is no ${DEBIAN_S}. Install it (Debian: apt-get install redis-server).`);
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = spawn(DEBIAN_S, [...args, "--dir", folder], { stdio: "ignore" });
  for (let tries = 0; tries < 240; tries++) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    if (await accepts(port)) return { port, stop: () => stopProcess(server) };
    await sleep(250);
  }
  throw new Error("redis-server was not ready within a minute");
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
