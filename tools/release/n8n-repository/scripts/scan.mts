import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * n8n's own check of a community package, before it is published: the sources as a reviewer's machine lints
 * them, and the packed tarball as users get it. The published tool accepts only a name from the registry, so
 * this calls its two halves. Only the place where the tarball was built stays unchecked until then.
 *
 * A third check is our own. Scanners for malware suspect a program that makes text from character codes: it may
 * hide something.
 */

// The scanner depends on TypeScript 7, which its parser cannot use. A package may not have `overrides`, so it gets ours.
const typescript = createRequire(import.meta.url).resolve("typescript");
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? typescript : specifier, context),
});
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(
  // @ts-expect-error: the package has no types
  "@n8n/scan-community-package/scanner/scanner.mjs"
);

interface Verdict {
  readonly passed: boolean;
  readonly message?: string;
  readonly details?: string;
}

const root = join(import.meta.dirname, "..");
const unpacked = mkdtempSync(join(tmpdir(), "survey-export-scan-"));
try {
  const pack = ["pack", "--json", "--silent", "--ignore-scripts", "--pack-destination", unpacked];
  const [{ filename }] = JSON.parse(execFileSync("npm", pack, { cwd: root, encoding: "utf8" }));
  execFileSync("tar", ["xzf", join(unpacked, filename), "-C", unpacked, "--strip-components=1"]);
  const legs: readonly [string, string, readonly string[]][] = [
    ["sources", root, SOURCE_FILE_PATTERNS],
    ["tarball", unpacked, ["**/*.js", "package.json"]],
  ];
  for (const [name, folder, patterns] of legs) {
    const verdict: Verdict = await analyzePackage(folder, patterns);
    console.log(`${name}: ${verdict.passed ? "passed" : "failed"}`);
    if (verdict.passed) continue;
    console.log([verdict.message, verdict.details].filter(Boolean).join("\n"));
    process.exitCode = 1;
  }
  const files = globSync("**/*.js", { cwd: unpacked });
  if (files.length === 0) throw new Error("The tarball holds no program. Run npm run build first.");
  const suspicious = files.filter((file) =>
    /fromCharCode|fromCodePoint|\batob\b/.test(readFileSync(join(unpacked, file), "utf8")),
  );
  console.log(`text from character codes: ${suspicious.join(", ") || "none"}`);
  if (suspicious.length > 0) process.exitCode = 1;
} finally {
  rmSync(unpacked, { recursive: true, force: true });
}
