import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Runs `check` and `read` of the program in the argument's folder once, with a service that has no responses. So the
 * folder `compile-cache` next to it gets what the next start would have to compile (the Dockerfile calls it).
 */
const [program = ""] = process.argv.slice(2);
const service = createServer((_, response) => {
  response.end('{"pagination_data":{"has_more":false},"data":[]}');
}).listen(0, "127.0.0.1");
await once(service, "listening");
const { port } = service.address() as AddressInfo;

const folder = mkdtempSync(join(tmpdir(), "survey-export-"));
const write = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const settings = { base_url: `http://127.0.0.1:${port}/v2`, api_key: "no-key-at-all", survey_ids: ["1"] };
const config = ["--config", write("config.json", JSON.stringify(settings))];
const catalog = execFileSync(process.execPath, [program, "catalog"], { encoding: "utf8" });
for (const words of [
  ["check", ...config],
  ["read", ...config, "--catalog", write("catalog.json", catalog)],
]) {
  await promisify(execFile)(process.execPath, [program, ...words]);
}
service.close();
