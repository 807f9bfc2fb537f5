/**
 * `npm run export:n8n -- FOLDER`: writes the n8n package as a repository of its own: the node, the core, their tests,
 * a lock file and workflows. All of FOLDER is replaced, except for its `.git`. A test is left out if it needs a
 * file that has no place there.
 *
 * There is one package.json, so the core is imported by path. Files that n8n's lint rules are not for end in `.mts`:
 * the rules are for all files in `.ts`, and n8n does not let a package change that.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";

/** Where the files of a folder are in the repository that is written. */
const PLACES: Readonly<Record<string, string>> = {
  "n8n-node": "",
  "connector/core": "core",
  sandbox: "sandbox",
  schemas: "schemas",
  spec: "spec",
  test: "test",
};
const WHOLE_FOLDERS = /^(n8n-node|connector\/core)\/(?!package\.json$)/;
const TESTS = /^test\/(connector\/core|n8n-node)\/.*\.test\.ts$/;
const SOURCE = /\.m?ts$/;
/** A path from the file, or the core by its name. Of a template with a path, the folder before its first value. */
const LITERAL =
  /(["'`])(@survey-export\/core(?:\/\w+)?(?=\1)|\.\.?\/[^"'`\n$]*(?=\1)|\.\.?\/(?:[^"'`\n$]*\/)?(?=[^"'`\n$/]*\$\{))/g;
/** Another package that a source imports. */
const PACKAGE = /\b(?:from|import|require)\b[\s(]*["']((?:@[\w-]+\/)?[\w-]+)["']/g;

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}
interface Locked {
  readonly version: string;
  /** Of a package that replaces another one. */
  readonly name?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("n8n-node/package.json"));
const lock: Lock = JSON.parse(read("package-lock.json"));
const { exports: coreExports } = JSON.parse(read("connector/core/package.json"));
const here = manifest.repository.url.replace(/^git\+|\.git$/g, "");
const there = new URL(manifest.name, here).href;

const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)));

function placeOf(path: string): string | undefined {
  const folder = Object.keys(PLACES).find((each) => path === each || path.startsWith(`${each}/`));
  if (folder === undefined) return undefined;
  const place = posix.join(PLACES[folder]!, posix.relative(folder, path));
  return folder === "n8n-node" ? place : place.replace(/\.ts$/, ".mts");
}

/** The file or folder that a literal names, if it names one. */
function targetOf(file: string, literal: string): string | undefined {
  const path = literal.startsWith("@")
    ? posix.join("connector/core", coreExports[literal.replace("@survey-export/core", ".")])
    : posix.join(posix.dirname(file), literal).replace(/\/$/, "");
  return existsSync(join(root, path)) ? path : undefined;
}

/** Adds a file and all that it names to `needed`. @returns a file that has no place, if there is one */
function addNeeded(file: string, needed: Set<string>): string | undefined {
  if (needed.has(file)) return undefined;
  if (placeOf(file) === undefined) return file;
  needed.add(file);
  if (!SOURCE.test(file)) return undefined;
  for (const [, , literal] of read(file).matchAll(LITERAL)) {
    const target = targetOf(file, literal!);
    if (target === undefined) continue;
    if (placeOf(target) === undefined) return target;
    const isFolder = statSync(join(root, target)).isDirectory();
    const files = isFolder
      ? tracked.filter((each) => each.startsWith(`${target}/`) && !SOURCE.test(each))
      : [target];
    for (const each of files) {
      const without = addNeeded(each, needed);
      if (without !== undefined) return without;
    }
  }
  return undefined;
}

function filesToWrite(): Set<string> {
  const all = new Set<string>();
  for (const file of tracked) {
    if (!WHOLE_FOLDERS.test(file) && !TESTS.test(file)) continue;
    const needed = new Set(all);
    const without = addNeeded(file, needed);
    if (without === undefined) for (const each of needed) all.add(each);
    else if (TESTS.test(file)) console.log(`Without ${file}: it needs ${without}.`);
    else throw new Error(`${file} needs ${without}, which has no place in the n8n repository.`);
  }
  all.delete("n8n-node/package.json");
  return all;
}

/** The text of a source with its paths, and of a file of n8n-node with its links, as they are there. */
function textThere(file: string): string {
  let text = read(file);
  if (SOURCE.test(file))
    text = text.replace(LITERAL, (whole, quote, literal) => {
      const target = targetOf(file, literal);
      if (target === undefined) return whole;
      const path = posix.relative(posix.dirname(placeOf(file)!), placeOf(target)!);
      const end = literal.endsWith("/") ? "/" : "";
      return path === "" ? whole : quote + (path.startsWith(".") ? path : `./${path}`) + end;
    });
  if (!file.startsWith("n8n-node/")) return text;
  return text
    .replaceAll(new RegExp(`${here}/(tree|blob)/main/n8n-node/`, "g"), `${there}/$1/main/`)
    .replaceAll(`${here}/tree/main/n8n-node`, there);
}

/** The packages that the files import, and Node, with the versions that our lock file has. */
function versionsOf(files: Iterable<string>): Record<string, string> {
  const versions: Record<string, string> = { ...manifest.devDependencies };
  const imported = [...files]
    .filter((file) => SOURCE.test(file))
    .flatMap((file) => [...read(file).matchAll(PACKAGE)].map(([, name]) => name!));
  for (const name of ["@types/node", "node", ...imported]) {
    if (!isBuiltin(name)) versions[name] ??= lock.packages[`node_modules/${name}`]!.version;
  }
  delete versions["@survey-export/core"];
  return Object.fromEntries(Object.entries(versions).sort());
}

const manifestThere = (files: Iterable<string>) => ({
  ...manifest,
  homepage: `${there}#readme`,
  repository: { type: "git", url: `git+${there}.git` },
  bugs: `${there}/issues`,
  scripts: {
    ...manifest.scripts,
    test: "vitest run",
    check: "npm run build && npm run lint && npm test && npm run scan",
  },
  devDependencies: versionsOf(files),
});

/** Writes package.json and the lock file. npm begins with our own lock file, so that versions stay if they fit. */
function writePackage(folder: string, files: Iterable<string>): void {
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  const own = manifestThere(files);
  const packages = Object.entries(lock.packages).filter(
    ([path, { name, integrity }]) => path.startsWith("node_modules/") && integrity && !name,
  );
  write("package.json", own);
  write("package-lock.json", { lockfileVersion: 3, packages: { "": own, ...Object.fromEntries(packages) } });
  // Versions that our lock file does not have are a week old: a registry may not show a newer one to everybody yet.
  const install = ["install", "--package-lock-only", "--min-release-age=7", "--ignore-scripts", "--no-audit"];
  execFileSync("npm", [...install, "--no-fund", "--loglevel=error"], { cwd: folder, stdio: "inherit" });

  const made: Lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const nameOf = (path: string): string => path.split("node_modules/").at(-1)!;
  const names = new Set(Object.keys(made.packages).map(nameOf));
  const { allowScripts } = JSON.parse(read("package.json"));
  for (const [path, { optionalDependencies, hasInstallScript }] of Object.entries(made.packages)) {
    if (hasInstallScript) allowScripts[nameOf(path)] ??= false;
    // A registry may lack packages for other platforms. `npm ci` refuses a lock file that asks for them.
    for (const name in optionalDependencies) if (!names.has(name)) delete optionalDependencies[name];
  }
  write("package.json", { ...own, allowScripts });
  write("package-lock.json", made);
}

function writeFiles(folder: string, files: Iterable<string>): void {
  cpSync(join(root, "tools/release/n8n-repository"), folder, { recursive: true });
  for (const file of files) {
    const place = join(folder, placeOf(file)!);
    mkdirSync(dirname(place), { recursive: true });
    if (/\.(m?ts|md|json)$/.test(file)) writeFileSync(place, textThere(file));
    else cpSync(join(root, file), place);
  }
  const [readme, development, tsconfig] = ["README.md", "development.md", "tsconfig.json"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  appendFileSync(readme, readFileSync(development));
  rmSync(development);
  const { include, ...settings } = JSON.parse(readFileSync(tsconfig, "utf8"));
  writeFileSync(tsconfig, `${JSON.stringify({ ...settings, include: ["core", ...include] }, null, 2)}\n`);
  // Paths have another length than names, so lines break at other places.
  const prettier = join(root, "node_modules/.bin/prettier");
  execFileSync(prettier, ["--write", "--log-level", "warn", "nodes", "credentials"], { cwd: folder });
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("Usage: npm run export:n8n -- FOLDER");
mkdirSync(folder, { recursive: true });
const old = readdirSync(folder);
if (old.length > 0 && !old.includes(".git"))
  throw new Error(`${folder} is neither empty nor a git repository.`);
for (const name of old) if (name !== ".git") rmSync(join(folder, name), { recursive: true });
const files = filesToWrite();
writeFiles(folder, files);
writePackage(folder, files);
