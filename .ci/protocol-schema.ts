/**
 * `node .ci/protocol-schema.ts FILE`: writes Airbyte's own schema of its protocol to FILE, as JSON. It comes from
 * Airbyte's repository at one commit, and is refused if it is not the file that we know by its hash.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parse } from "yaml";

const COMMIT = "8dc655f2816fca7de22dcd5ebfa1e41478110b32";
const SHA256 = "ccc7c10a4711f2597ff26d0a15830a3a1c173cb504c1b566c44ec9d196d27381";
const SOURCE = `https://raw.githubusercontent.com/airbytehq/airbyte-protocol/${COMMIT}/protocol-models/src/main/resources/airbyte_protocol/v0/airbyte_protocol.yaml`;

const file = process.argv[2];
if (file === undefined) throw new Error("Name the file to write: node .ci/protocol-schema.ts FILE");
const response = await fetch(SOURCE);
if (!response.ok)
  throw new Error(`Airbyte's schema could not be read: status ${response.status} from ${SOURCE}`);
const text = await response.text();
const hash = createHash("sha256").update(text).digest("hex");
if (hash !== SHA256) throw new Error(`Airbyte's schema has the hash ${hash}, not ${SHA256}, at ${SOURCE}`);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, JSON.stringify(parse(text)));
