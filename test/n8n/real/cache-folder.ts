import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Where things live that are too large for the repository: the real n8n (2 GB) and its throw-away user
 * folders. Outside the checkout, so that a `git clean` costs no four minutes, and shared by all checkouts.
 */
export function cacheFolder(...parts: readonly string[]): string {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(caches, "survey-export", ...parts);
}
