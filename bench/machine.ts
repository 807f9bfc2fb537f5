import { availableParallelism, cpus, release, totalmem, type } from "node:os";

/** The machine in one line, since figures mean nothing without it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${model}, ${availableParallelism()} cores, ${memory} of memory, ${type()} ${release()}, Node.js ${process.versions.node}`;
}
