import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { BIN } from "../../support/bin.ts";

/** Tells at the end which of Node's own modules were loaded, on standard error. */
const TELL = `data:text/javascript,process.on("exit", () => process._rawDebug(JSON.stringify(process.moduleLoadList)))`;

/** Of Node's own modules, those that a program loads until its end. */
function loadedBy(...words: readonly string[]): string[] {
  const command = `"${process.execPath}" --import '${TELL}' ${words.join(" ")} 2>&1 >/dev/null`;
  return JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" })) as string[];
}

it("spec answers without workers, promises of files, HTTP or `require`", () => {
  const loaded = loadedBy(BIN, "spec");
  expect(loaded).toContain("NativeModule stream");
  const large = /^NativeModule (http|https|tls|crypto|module|worker_threads|internal\/fs\/promises)$/;
  const atStart = new Set(loadedBy("-e", "0"));
  expect(loaded.filter((name) => large.test(name) && !atStart.has(name))).toEqual([]);
});
