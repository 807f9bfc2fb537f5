import { dirname } from "node:path";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { Plugin } from "esbuild";
import { ajv, VALIDATORS } from "../connector/airbyte/form-validators.ts";

/**
 * What a start would wait for is done here: the form's validators are compiled, and Node's own modules come from
 * `getBuiltinModule`. An `import` of one reads all that it exports, which loads two dozen others.
 */
export const quickStart: Plugin = {
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
