import type { IDataObject } from "n8n-workflow";
import { expect, test } from "vitest";
import { startSandbox } from "../../../../../sandbox/index.ts";
import { errorOf } from "../../../support/set-up.ts";
import { inAnotherRun, startWatching, survey } from "../../../support/watching.ts";

const at = await startWatching();

test("with another Base URL the trigger starts over and says so", async () => {
  await at.poll();
  const elsewhere = await inAnotherRun(
    at,
    await startSandbox({ surveys: [survey("1", 300)], limits: false }),
  );
  const { ids, messages } = await elsewhere.poll();
  expect([ids, messages]).toEqual([null, ["The credential's Base URL has changed"]]);
  const fresh = elsewhere.collect("1", 1);
  expect(await elsewhere.poll()).toMatchObject({ ids: fresh, reported: [] });
  await elsewhere.sandbox.close();
});

const WATCH = '{"service":"SERVICE","watch":{"state":{"version":1,"surveys":';
test.each<IDataObject>([
  { version: 1, memory: "{" },
  { version: 1 },
  { version: 1, memory: "null" },
  { version: 1, memory: '{"service":"SERVICE"}' },
  { version: 1, memory: '{"service":"SERVICE","watch":{"state":{},"handed_over":[]},"told":[]}' },
  { version: 1, memory: `${WATCH}{"1":[["2026","2027"]]}},"handed_over":[]},"told":[]}` },
  { version: 1, memory: `${WATCH}{}},"handed_over":[["1",[["u","now"]]]]},"told":[]}` },
  { version: 2, memory: "{}" },
])("a broken memory is reported: %j", async (broken) => {
  await at.poll();
  const { service } = JSON.parse(String(at.memory.memory));
  expect(service).toMatch(/^[0-9a-f]{16}$/);
  at.memory = JSON.parse(JSON.stringify(broken).replace("SERVICE", service));
  const error = await errorOf(at.poll());
  expect(error!.message).toBe("The trigger's memory cannot be read");
  expect(error!.description).toMatch(
    broken.version === 2
      ? /^Another version of this package wrote it\. Install that version again\./
      : /^To start over, delete the node and add it again under another name/,
  );
});

test("with Repeat After a Crash, another run of n8n hands the last responses over again, and this one does not", async () => {
  const parameters = { options: { repeatAfterCrash: true } };
  await at.ids(parameters);
  const first = at.collect("1", 3);
  expect(await at.ids(parameters)).toEqual(first);
  // n8n stores the memory when it emits, so a crash leaves this behind.
  const stored = JSON.stringify(at.memory);
  expect(await at.ids(parameters)).toBeNull();

  const other = await inAnotherRun(at);
  expect((await other.poll({}, {}, JSON.parse(stored))).ids).toBeNull();
  other.memory = JSON.parse(stored);
  const second = at.collect("1", 1);
  expect(await other.ids(parameters)).toEqual([...first, ...second]);
  expect(await other.ids(parameters)).toBeNull();
});
