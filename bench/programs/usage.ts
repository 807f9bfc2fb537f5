import { subscribe } from "node:diagnostics_channel";
import { readFileSync, writeSync } from "node:fs";
import type { Socket } from "node:net";

/** What a whole process has used, told by itself at its end. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  /** What came over the connections of undici, headers included. */
  readonly receivedBytes: number;
}

/** With the same salt, the programs that are compared write the same hashes. */
export const SALT = "a salt for the bench";

const sockets: Socket[] = [];
subscribe("undici:client:connected", (message) => {
  sockets.push((message as { readonly socket: Socket }).socket);
});

/**
 * Writes the usage of this process to descriptor 3 when it ends. The peak comes from Linux's own account of this
 * program's memory if there is one: the other count begins with the memory of whoever started the program.
 */
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = {
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: peakKilobytes() / 1024,
    receivedBytes: sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
  };
  writeSync(3, JSON.stringify(usage));
});

function peakKilobytes(): number {
  try {
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))!;
    return Number(peak);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
