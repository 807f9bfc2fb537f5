import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import type { Transport } from "@survey-export/core";
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IExecuteFunctions,
  INodeType,
} from "n8n-workflow";
import { bundleInto } from "../../../n8n-node/scripts/bundle.mts";

export interface BuiltPackage {
  /** By the name that workflows use, such as `n8n-nodes-survey-export.surveyExport`. */
  readonly nodes: Readonly<Record<string, INodeType>>;
  readonly credentials: Readonly<Record<string, ICredentialType>>;
  /** The node's way to the service, by itself. */
  readonly transportOf: (
    context: IExecuteFunctions,
    credentials: ICredentialDataDecryptedObject,
    timeoutMs: number,
  ) => Transport;
}

const TRANSPORT = "nodes/SurveyExport/shared/host";

/** Each load gets a folder, and with it modules, of its own: as in another run of n8n. */
let loads = 0;

const sources = join(import.meta.dirname, "../../../n8n-node");

/**
 * The n8n package, bundled as for publishing and loaded as n8n loads it: by file, the class by the file's name.
 * Testing the bundle and not the sources also keeps one copy of n8n-workflow, so that its classes are the engine's.
 */
export async function loadBuiltPackage(): Promise<BuiltPackage> {
  const folder = join(sources, ".survey-export", `${process.pid}-${++loads}`);
  try {
    await bundleInto(join(folder, "dist"), [`${TRANSPORT}.ts`]);
    const manifest = JSON.parse(readFileSync(join(sources, "package.json"), "utf8"));
    const require = createRequire(join(folder, "package.json"));
    const make = (file: string) => new (require(join(folder, file))[basename(file).split(".")[0]!])();
    const nodes: INodeType[] = manifest.n8n.nodes.map(make);
    const credentials: ICredentialType[] = manifest.n8n.credentials.map(make);
    return {
      nodes: Object.fromEntries(nodes.map((node) => [`${manifest.name}.${node.description.name}`, node])),
      transportOf: require(join(folder, "dist", `${TRANSPORT}.js`)).transportOf,
      credentials: Object.fromEntries(credentials.map((credential) => [credential.name, credential])),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
