/**
 * `npm run export:n8n -- FOLDER`: writes the n8n package as a repository of its own: the node, the core that it bundles,
 * and what `tools/release/n8n-repository` holds: n8n's tools with a lock file, and workflows. All of FOLDER is replaced,
 * except for its `.git`.
 *
 * There is one package.json, so the core is imported by path. The core's files end in `.mts` there: n8n's lint rules are
 * for all files in `.ts`, and n8n does not let a package change that.
 *
 * After a change of `devDependencies` in `tools/release/n8n-repository`: export, run
 * `npm install --package-lock-only` in FOLDER, and copy its package-lock.json back.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const root = join(import.meta.dirname, "..");
const own = join(root, "tools/release/n8n-repository");
/** Both become one. */
const NOT_THERE = /\/package\.json$/;
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** The last section of its README. */
const DEVELOPMENT = `
## Development

This repository holds the node and the core that it bundles. Each version is written from [survey-export](https://github.com/survey-export/survey-export), which also tests the node in a real n8n. Please send changes there. Files of the core end in \`.mts\`, since n8n's lint rules are for the node only.

\`\`\`sh
npm ci          # needs npm 11; Node 24 comes with the lock file
npm run check   # build, lint, scan
\`\`\`
`;

const { exports: coreExports } = readJson(join(root, "connector/core/package.json"));
const manifest = { ...readJson(join(root, "n8n-node/package.json")), ...readJson(join(own, "package.json")) };

const placeOf = (file: string): string =>
  file.startsWith("n8n-node/")
    ? file.slice("n8n-node/".length)
    : file.replace(/^connector\//, "").replace(/\.ts$/, ".mts");

/** The text of a file with the paths that its imports have there, and with links to there. */
function textThere(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  if (file.startsWith("connector/core/")) return text.replace(/(from "\.[^"]*)\.ts"/g, '$1.mts"');
  return text
    .replace(/(["'])@survey-export\/core(\/\w+)?\1/g, (_, quote: string, entry = "") => {
      const target = placeOf(posix.join("connector/core", coreExports[`.${entry}`]));
      return quote + posix.relative(posix.dirname(placeOf(file)), target) + quote;
    })
    .replaceAll(
      /(\/survey-export)\/survey-export\/(tree|blob)\/main\/n8n-node/g,
      `$1/${manifest.name}/$2/main`,
    );
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("Usage: npm run export:n8n -- FOLDER");
mkdirSync(folder, { recursive: true });
const old = readdirSync(folder);
if (old.length > 0 && !old.includes(".git"))
  throw new Error(`${folder} is neither empty nor a git repository.`);
for (const name of old) if (name !== ".git") rmSync(join(folder, name), { recursive: true });

const tracked = execFileSync("git", ["ls-files", "-z", "n8n-node", "connector/core"], {
  cwd: root,
  encoding: "utf8",
});
for (const file of tracked.split("\0").filter((each) => each !== "" && !NOT_THERE.test(each))) {
  const place = join(folder, placeOf(file));
  mkdirSync(dirname(place), { recursive: true });
  if (/\.(m?ts|md|json)$/.test(file)) writeFileSync(place, textThere(file));
  else cpSync(join(root, file), place);
}
cpSync(own, folder, { recursive: true });
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const lint = "import { config } from '@n8n/node-cli/eslint';\n\nexport default config;\n";
writeFileSync(join(folder, "eslint.config.mjs"), lint);
writeFileSync(join(folder, ".gitignore"), "node_modules/\ndist/\n");
appendFileSync(join(folder, "README.md"), DEVELOPMENT);
