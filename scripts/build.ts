import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build, type Plugin } from "esbuild";
import { ajv, VALIDATORS } from "../connector/airbyte/form-validators.ts";
import { thirdPartyLicenses } from "../tools/release/third-party-licenses.ts";

/**
 * Bundles the program into `dist/`: the bin, chunks for code that only some commands need, and the licences of the
 * packages inside. A chunk is named by its content and is written before the bin that imports it. So a program that
 * runs or starts during a build finds all its parts.
 */
const root = fileURLToPath(new URL("../", import.meta.url));
/** Code bundled from CommonJS loads Node's own modules with `require`. Elsewhere this line would only be in the way. */
const REQUIRE = "const require = (name) => process.getBuiltinModule(name);";
const BIN = "source-survey-export";
/**
 * What a start would wait for is done here: the form's validators are compiled, and Node's own modules come from
 * `getBuiltinModule`. An `import` of one reads all that it exports, which loads two dozen others.
 */
const quickStart: Plugin = {
  name: "quick start",
  setup(build) {
    build.onLoad({ filter: /form-validators\.ts$/ }, ({ path }) => {
      const names = Object.keys(VALIDATORS);
      const code = standaloneCode.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
      const contents = `${code}\nexport const VALIDATORS = { ${names.join(", ")} };`;
      return { contents, loader: "js", resolveDir: dirname(path) };
    });
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "node" } : { path, external: true },
    );
    build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
  },
};

/** A module `texts.ts` reads files that stand next to it. The program has no such files, so it gets the texts themselves. */
const texts: Plugin = {
  name: "texts",
  setup(build) {
    build.onLoad({ filter: /\/texts\.ts$/ }, async ({ path }) => {
      const found: Readonly<Record<string, unknown>> = await import(path);
      const constants = Object.entries(found).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return { contents: constants.join("\n"), loader: "js" };
    });
  },
};

const { outputFiles, metafile } = await build({
  entryPoints: { [BIN]: "connector/main.ts" },
  splitting: true,
  absWorkingDir: root,
  outdir: "dist",
  write: false,
  metafile: true,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22",
  chunkNames: "chunks/[name]-[hash]",
  plugins: [quickStart, texts],
  banner: { js: REQUIRE },
  // By path, because the image is built without npm's links between workspaces.
  alias: {
    "@survey-export/core/errors": "./connector/core/errors.ts",
    "@survey-export/core/message": "./connector/core/text/message.ts",
    "@survey-export/core": "./connector/core/index.ts",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});
const isChunk = (path: string): boolean => basename(dirname(path)) === "chunks";
for (const { path, text } of outputFiles.toSorted(
  (a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path)),
)) {
  await mkdir(dirname(path), { recursive: true });
  // Two builds may run at once, so each writes files of its own.
  const fresh = `${path}.${process.pid}`;
  const rest = text.replace(REQUIRE, "");
  await writeFile(fresh, /\brequire\b/.test(rest) ? text : rest);
  await chmod(fresh, basename(path) === `${BIN}.js` ? 0o755 : 0o644);
  await rename(fresh, path);
}
await writeFile(join(root, "dist/THIRD-PARTY-LICENSES.txt"), await thirdPartyLicenses(root, metafile));

// A running program may still import chunks of an earlier build. After an hour none does.
const made = new Set(outputFiles.map(({ path }) => basename(path)));
const chunks = join(root, "dist/chunks");
for (const name of await readdir(chunks)) {
  if (made.has(name)) continue;
  const path = join(chunks, name);
  // Another build may have renamed or removed it meanwhile.
  const found = await stat(path).catch(() => undefined);
  if (found && found.mtimeMs < Date.now() - 3_600_000) await rm(path, { force: true });
}

// Code that Node compiled of earlier builds. A program that starts now may write there again meanwhile.
await rm(join(root, "dist/compile-cache"), { recursive: true, force: true }).catch(() => {});
