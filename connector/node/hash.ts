import { createHmac } from "node:crypto";
import type { Hash } from "@survey-export/core";

/** HMAC-SHA-256 with the salt as its key, in lower-case hexadecimal. */
export function createHash(salt: string): Hash {
  return (text) => createHmac("sha256", salt).update(text).digest("hex");
}
