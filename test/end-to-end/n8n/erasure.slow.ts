import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { IDataObject } from "n8n-workflow";
import { beforeAll, expect, test } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { documented } from "../deletions/support/page.ts";
import { collectFromWilma, startSandboxWithWilma, TRACE, UUID } from "../deletions/support/wilma.ts";
import { startLeg } from "./support/leg.ts";
import type { N8nInstance } from "./support/n8n-instance.ts";
import type { RestClient } from "./support/rest-client.ts";
import { CREDENTIAL, credentialWith, withCredential } from "./support/workflows.ts";

/** The commands of `docs/personal-data.md`, with the example that fills a Data Table: without personal data, then as it is. */
const EXAMPLE = join(import.meta.dirname, "../../../n8n-node/examples/answers-to-data-table.json");
/** What the rows of answers can hold. */
const PERSONAL = ["answer_labels", "contact_fields", "free_text", "respondent_identifiers"];
const WORKFLOWS = ["omitted", "kept"];

let sandbox: Sandbox;
let n8n: N8nInstance;
let rest: RestClient;

beforeAll(async () => {
  const leg = await startLeg("erasure", {
    sandbox: await startSandboxWithWilma(),
    builtInNodes: ["dataTable", "filter", "merge", "removeDuplicates", "stickyNote"],
    async before(instance, { url, apiKey }) {
      await instance.import("credentials", credentialWith({ baseUrl: url, apiKey }));
      await instance.import("workflow", WORKFLOWS.map(workflow));
    },
  });
  ({ sandbox, n8n, rest } = leg);
  return leg.stop;
});

function workflow(id: string) {
  const options = id === "omitted" ? { omitPersonalData: PERSONAL } : {};
  return { ...withCredential(readFileSync(EXAMPLE, "utf8"), CREDENTIAL, { options }), id };
}

/** Files of n8n that have a trace of the person, without its packages. */
function traced(): string[] {
  return readdirSync(n8n.folder, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      !file.includes("node_modules") && !file.startsWith(".n8n/nodes/") && holdsTrace(join(n8n.folder, file)),
  );
}
function holdsTrace(file: string): boolean {
  try {
    return TRACE.test(readFileSync(file, "latin1"));
  } catch {
    return false; // a folder or a socket
  }
}

test("the commands erase the person from executions and Data Tables, and n8n's files hold no trace", async () => {
  const run = async (id: string) => {
    const execution = await rest.run(id, "Run Once");
    expect(execution.error).toBe(undefined);
    return execution.items("Create Table")![0]!.json;
  };
  const table = await run("omitted");
  expect(traced()).toEqual([]);
  collectFromWilma(sandbox, "1001", "2026-10-01T00:00:00.000000Z");
  await run("kept");
  await rest.activate("kept");
  while (!(await rest.memoryOf("kept"))) await sleep(200);
  collectFromWilma(sandbox, "1001", "2026-10-02T00:00:00.000000Z");
  for (let tries = 0; tries < 100 && (await rest.executionsOf("kept")).length === 0; tries++)
    await sleep(1_000);
  await rest.deactivate("kept");
  expect(await rest.executionsOf("kept")).toHaveLength(1);
  expect(TRACE.test(JSON.stringify(await rest.memoryOf("kept")))).toBe(false);

  const rows = async () => {
    const found: IDataObject[] = [];
    for (let count = 1; found.length < count; ) {
      const path = `/rest/projects/${table.projectId}/data-tables/${table.id}/rows?skip=${found.length}&take=1000`;
      const page = await rest.call<{ data: IDataObject[]; count: number }>("GET", path);
      found.push(...page.data);
      count = page.count;
    }
    return found;
  };
  const before = await rows();
  const isOthers = (row: IDataObject) => row.respondent_uuid !== UUID;
  expect(before.length - before.filter(isOthers).length).toBe(6);
  expect(traced()).toContain(".n8n/database.sqlite");

  const scopes = ["execution:list", "execution:read", "execution:delete", "dataTableRow:delete"];
  const asked = { label: "erasure", expiresAt: null, scopes };
  const { rawApiKey: key } = await rest.call<{ rawApiKey: string }>("POST", "/rest/api-keys", asked);
  const shell = (command: string, values: Readonly<Record<string, string>>) =>
    promisify(execFile)("/bin/sh", ["-euc", command], {
      env: { ...process.env, n8n: n8n.url, key, ...values },
    });
  for (const workflow of WORKFLOWS) await shell(documented("executions"), { workflow });
  await shell(documented("data_table"), { table: String(table.id), uuid: UUID });

  for (const workflow of WORKFLOWS) expect(await rest.executionTexts(workflow)).toEqual([]);
  expect(await rows()).toEqual(before.filter(isOthers));
  await n8n.stop();
  expect(traced()).toContain(".n8n/database.sqlite");
  await n8n.start({ DB_SQLITE_VACUUM_ON_STARTUP: "true" });
  await n8n.stop();
  // On a busy machine n8n is killed before it has closed the database. Whoever opens it next does what was left.
  const database = new DatabaseSync(join(n8n.folder, ".n8n/database.sqlite"));
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  expect(traced()).toEqual([]);
});
