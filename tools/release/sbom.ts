/**
 * `node tools/release/sbom.ts`: prints what the npm package contains, as CycloneDX: the packages that have code in the bundles
 * of `dist/`, no more and no fewer. `npm sbom` alone cannot tell: its production dependencies lack what only the demo
 * contains, and have packages whose code the bundler leaves out.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packagesNamedIn } from "./third-party-licenses.ts";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly properties?: readonly { readonly name: string }[];
}
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const command = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--workspaces=false"];
const all: Sbom = JSON.parse(
  execFileSync("npm", command, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }),
);
const bundled = new Set(packagesNamedIn(read("dist/THIRD-PARTY-LICENSES.txt")));
const { component } = all.metadata;
const refs = new Set([...bundled, component["bom-ref"]]);
const components = all.components.filter((each) => bundled.has(each["bom-ref"])).map(asShipped);
const missing = bundled.difference(new Set(components.map((each) => each["bom-ref"])));
if (missing.size > 0) {
  throw new Error(
    `npm does not know ${[...missing].join(", ")}, which is in the bundle. Run npm ci and npm run build.`,
  );
}
const sbom: Sbom = {
  ...all,
  // npm takes the folder's name.
  metadata: { ...all.metadata, component: { ...component, name: JSON.parse(read("package.json")).name } },
  components,
  dependencies: all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
};
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);

/** What the demo contains is a development dependency for npm, and yet it is in the package. */
function asShipped(component: Component): Component {
  const properties = component.properties?.filter(({ name }) => name !== "cdx:npm:package:development");
  return { ...component, ...(properties && { properties }) };
}
