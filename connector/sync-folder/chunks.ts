import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;

/** A file piece by piece, each in the memory of the one before. */
export function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}
