import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import { STREAMS, type StreamName, type StreamRecord } from "../../../connector/core/index.ts";
import { Tables } from "../../../connector/sync-command/tables.ts";
import { folderForTest } from "../../support/folder.ts";
import { holdLock, lockWaitForTest } from "./support/lock-wait.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = folderForTest().path();
  path = join(folder, "surveys.sqlite");
});

const open = (wait = lockWaitForTest().wait): Promise<Tables> => Tables.open(path, wait);

/** A record of a stream, whose other columns are null. */
const recordOf = (stream: StreamName, values: StreamRecord): StreamRecord => ({
  ...Object.fromEntries(Object.keys(STREAMS[stream].columns).map((name) => [name, null])),
  ...values,
});
const response = (uuid: string, values: StreamRecord = {}) =>
  recordOf("survey_responses", { uuid, ...values });
const answer = (uuid: string, position: number) =>
  recordOf("survey_answers", { response_uuid: uuid, survey_id: "s", question_id: 1, position });

const NONE = { surveyId: undefined, responses: [] };

/** A sync that writes these records of a stream, and then their state. */
async function write(
  stream: StreamName,
  records: readonly StreamRecord[],
  state = "{}",
  responses = records.map(({ response_uuid: uuid }) => String(uuid)),
): Promise<boolean> {
  const tables = await open();
  try {
    const isChanged = await tables.records(stream, records, { surveyId: "s", responses });
    await tables.state(stream, state);
    return isChanged;
  } finally {
    await tables.close("stopped");
  }
}

function sql(text: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}

async function stateOf(stream: string): Promise<unknown> {
  const tables = await open();
  try {
    return tables.readState().get(stream);
  } finally {
    await tables.close("stopped");
  }
}

const error = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error("nothing was thrown");
};

describe("the table of a stream", () => {
  it.each(Object.values(STREAMS))(
    "$name has the columns of the catalog, and its key",
    async ({ name, columns, primaryKey }) => {
      await write(name, []);
      const found = sql(`select name, type, pk from pragma_table_info('${name}') order by cid`);
      expect(found.map(({ name }) => name)).toEqual(Object.keys(columns));
      expect(
        found
          .filter(({ pk }) => pk)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(primaryKey.toSorted());
    },
  );

  it("holds JSON and timestamps as text, numbers as numbers, booleans as 0 and 1", async () => {
    await write("survey_responses", [
      response("a", { collected_at: "2026-01-01T00:00:00.000000Z", answers: [{ ö: "👍" }] }),
    ]);
    await write("survey_answers", [
      { ...answer("a", 1), value_number: 0.5, value_boolean: true, answer_id: 2 ** 53 },
    ]);
    expect(sql("select collected_at, answers, url from survey_responses")).toEqual([
      { collected_at: "2026-01-01T00:00:00.000000Z", answers: '[{"ö":"👍"}]', url: null },
    ]);
    expect(
      sql("select value_number, value_boolean, printf('%d', answer_id) as id from survey_answers"),
    ).toEqual([{ value_number: 0.5, value_boolean: 1, id: "9007199254740992" }]);
  });

  it("keeps the last reading of each key, also if it has fewer answers", async () => {
    await write("survey_responses", [response("a", { url: "old" }), response("b")]);
    await write("survey_responses", [response("a", { url: "new" })]);
    expect(sql("select uuid, url from survey_responses order by uuid")).toEqual([
      { uuid: "a", url: "new" },
      { uuid: "b", url: null },
    ]);
    await write("survey_answers", [answer("a", 1), answer("a", 2), answer("b", 1), answer("b", 2)]);
    await write("survey_answers", [answer("a", 1)]);
    const left = sql("select response_uuid || position as key from survey_answers order by key");
    expect(left.map(({ key }) => key)).toEqual(["a1", "b1", "b2"]);
  });

  it("keeps no answer of a response that has none any more", async () => {
    await write("survey_answers", [answer("a", 1), answer("b", 1)]);
    await write("survey_answers", [{ ...answer("a", 2), survey_id: "another" }], "{}", []);
    await write("survey_answers", [], "{}", ["a", "c"]);
    const rows = sql("select response_uuid, survey_id from survey_answers order by response_uuid");
    expect(rows).toEqual([
      { response_uuid: "a", survey_id: "another" },
      { response_uuid: "b", survey_id: "s" },
    ]);
  });

  it("holds no text that databases cannot store, and says so", async () => {
    expect(
      await write("survey_responses", [
        response("a", { url: "x\0y\ud800", answers: ["\ud83d", "\0", "👍"] }),
      ]),
    ).toBe(true);
    expect(sql("select url, answers from survey_responses")).toEqual([
      { url: "x\ufffdy\ufffd", answers: '["\ufffd","\ufffd","👍"]' },
    ]);
    expect(await write("survey_responses", [response("a", { url: "\\u0000" })])).toBe(false);
  });

  it("gets the columns that it does not have yet", async () => {
    await write("survey_responses", [response("a")]);
    sql("alter table survey_responses drop column language");
    await write("survey_responses", [response("b", { language: "de" })]);
    expect(sql("select language from survey_responses order by uuid")).toEqual([
      { language: null },
      { language: "de" },
    ]);
  });
});

describe("a state", () => {
  it("is committed together with the rows before it", async () => {
    const tables = await open();
    await tables.records("survey_responses", [response("a")], NONE);
    await tables.commit();
    await tables.records("survey_responses", [response("b")], NONE);
    await tables.state("survey_responses", '{"n":1}');
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }]);
    expect(sql("select state from _survey_export_state")).toEqual([]);
    expect(await tables.close("complete")).toBeUndefined();
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }, { uuid: "b" }]);
    expect(await stateOf("survey_responses")).toEqual({ n: 1 });
  });

  it("of a table that somebody dropped does not count, also after a sync that was killed before its own state", async () => {
    await write("survey_responses", [response("a")], '{"n":1}');
    sql("drop table survey_responses");
    expect(await stateOf("survey_responses")).toBeUndefined();
    const tables = await open();
    await tables.records("survey_responses", [response("b")], NONE);
    await tables.state("surveys", "{}");
    await tables.close("stopped");
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "b" }]);
    expect(await stateOf("survey_responses")).toBeUndefined();
  });

  it("that is not JSON is refused", async () => {
    await write("surveys", [], "{");
    expect(await error(() => stateOf("surveys"))).toBe(
      `A state in the table _survey_export_state of "${path}" is not valid JSON. Correct it, or delete its row to read the stream again.`,
    );
  });

  it("of a newer version says to update the program, or to drop the table, which is enough", async () => {
    await write("surveys", [], '{"version":2,"surveys":{}}');
    expect(await error(() => stateOf("surveys"))).toBe(
      `A newer version of this program wrote the state of "surveys" in "${path}". Update the program, or drop the table "surveys" to read the stream again.`,
    );
    sql("drop table surveys");
    expect(await stateOf("surveys")).toBeUndefined();
  });
});

describe("a file that cannot take the rows is an error that names it, and nothing is lost", () => {
  const refused = (what: string): string =>
    `The table "survey_responses" of "${path}" does not take the rows of its stream ("${what}"). Undo what was changed in it, or drop it: then the next sync reads it from its start.`;

  it.each([
    [
      "drop table survey_responses; create view survey_responses as select 1 as uuid",
      "Cannot add a column to a view",
    ],
    [
      "create table copy as select * from survey_responses; drop table survey_responses; alter table copy rename to survey_responses",
      "ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint",
    ],
  ])("at its start: %s", async (change, what) => {
    await write("survey_responses", [response("a")], '{"n":1}');
    const database = new DatabaseSync(path);
    database.exec(change);
    database.close();
    expect(await error(() => open())).toBe(refused(what));
    expect(sql("select state from _survey_export_state")).toEqual([{ state: '{"n":1}' }]);
  });

  it("in the middle: no state is written after it", async () => {
    await write("survey_responses", [response("a", { language: "de" })], '{"n":1}');
    sql("create unique index one_language on survey_responses (language)");
    const tables = await open();
    const rows = [response("b"), response("c", { language: "de" })];
    const said = refused("UNIQUE constraint failed: survey_responses.language");
    expect(await error(() => tables.records("survey_responses", rows, NONE))).toBe(said);
    expect(await error(() => tables.state("survey_responses", '{"n":2}'))).toBe(said);
    await tables.close("incomplete");
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }]);
    expect(await stateOf("survey_responses")).toEqual({ n: 1 });
  });

  it("at a commit: its records are lost, which is thrown once, and no state covers them", async () => {
    await write("survey_responses", [response("a")], '{"n":1}');
    sql("create table allowed (uuid primary key)");
    sql("create table used (uuid references allowed deferrable initially deferred)");
    sql("create trigger use after insert on survey_responses begin insert into used values (new.uuid); end");
    const tables = await open();
    await tables.records("survey_responses", [response("b"), response("c")], NONE);
    await tables.state("survey_responses", '{"n":2}');
    expect([...tables.lost]).toEqual([]);
    const said = `"${path}" cannot be written: "FOREIGN KEY constraint failed". Correct this, and run again.`;
    expect(await error(() => tables.commit())).toBe(said);
    expect([...tables.lost]).toEqual([["survey_responses", 2]]);
    expect(await error(() => tables.commit())).toBe(said);
    expect(await tables.close("incomplete")).toBeUndefined();
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }]);
    expect(await stateOf("survey_responses")).toEqual({ n: 1 });

    const others = await open();
    await others.records("survey_responses", [response("b")], NONE);
    expect((await others.close("complete"))?.message, "what nothing has thrown").toBe(said);
  });
});

describe("while another program holds a lock", () => {
  let other: DatabaseSync;
  beforeEach(async () => {
    await write("survey_responses", [response("a")], '{"n":1}');
    other = new DatabaseSync(path);
    onTestFinished(() => {
      if (other.isOpen) other.close();
    });
  });

  /** A wait at whose second pause something happens. */
  const waitUntil = (happens: () => void, signal?: AbortSignal) =>
    lockWaitForTest({ ...(signal && { signal }), onPause: (ms) => ms === 2000 && happens() });

  it.each(["begin", "begin immediate", "begin exclusive"])(
    "a sync that begins waits for it, says so, and then works: %s",
    async (begin) => {
      other.exec(begin);
      other.prepare("select * from survey_responses").all();
      const { wait, told } = waitUntil(() => other.exec("commit"));
      const tables = await open(wait);
      await tables.records("survey_responses", [response("b")], NONE);
      expect(await tables.close("complete")).toBeUndefined();
      expect(told.times).toBe(1);
      expect(sql("select uuid from survey_responses")).toHaveLength(2);
    },
  );

  it("a write waits for it, and a long read keeps nothing waiting", async () => {
    let release = (): void => {};
    const { wait, told } = waitUntil(() => release());
    const tables = await open(wait);
    other.exec("begin");
    other.prepare("select * from survey_responses").all();
    await tables.records("survey_responses", [response("b")], NONE);
    await tables.commit();
    expect(told.times).toBe(0);
    other.exec("commit");
    release = holdLock(other);
    await tables.records("survey_responses", [response("c")], NONE);
    expect(told.times).toBe(1);
    await tables.close("complete");
    expect(other.prepare("select uuid from survey_responses").all()).toHaveLength(3);
  });

  it("the signal ends the wait, which is no failure, and nothing more is written", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped by SIGTERM");
    const { wait } = waitUntil(() => controller.abort(reason), controller.signal);
    const tables = await open(wait);
    const release = holdLock(other);
    const rows = tables.records("survey_responses", [response("b")], NONE);
    await expect(rows).rejects.toBe(reason);
    release();
    await expect(tables.state("survey_responses", '{"n":2}')).rejects.toBe(reason);
    expect(await tables.close("stopped")).toBeUndefined();
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }]);
    expect(await stateOf("survey_responses")).toEqual({ n: 1 });
  });

  it("for a minute, that is an error", async () => {
    holdLock(other);
    expect(await error(() => open())).toBe(
      `"${path}" cannot be written: another program has locked it for 60 s. End that program's transaction, and run again.`,
    );
  });
});

describe("at the end of a sync the file", () => {
  const names = () => readdirSync(folder).toSorted();

  it("is one file, in SQLite's own mode", async () => {
    const tables = await open();
    await tables.records("survey_responses", [response("a")], NONE);
    await tables.commit();
    expect(names()).toContain("surveys.sqlite-wal");
    await tables.close("complete");
    expect(names()).toEqual(["surveys.sqlite"]);
    expect(sql("pragma journal_mode")).toEqual([{ journal_mode: "delete" }]);
  });

  it("stays as it is if somebody has it open, without a failure, and a later sync ends with one file", async () => {
    await write("survey_responses", [response("a")]);
    const reader = new DatabaseSync(path);
    const tables = await open();
    await tables.records("survey_responses", [response("b")], NONE);
    await tables.commit();
    expect(reader.prepare("select uuid from survey_responses").all()).toHaveLength(2);
    expect(await tables.close("complete")).toBeUndefined();
    expect(names()).toEqual(["surveys.sqlite", "surveys.sqlite-shm", "surveys.sqlite-wal"]);
    await write("survey_responses", [response("c")]);
    expect(reader.prepare("select uuid from survey_responses").all()).toHaveLength(3);
    reader.close();
    await write("survey_responses", [response("d")]);
    expect(names()).toEqual(["surveys.sqlite"]);
    expect(sql("select uuid from survey_responses")).toHaveLength(4);
  });

  it("has no text any more that was replaced, or deleted with its response", async () => {
    const text = (word: string) => `${word} `.repeat(2000);
    await write("survey_answers", [{ ...answer("a", 1), value_text: text("replaced") }]);
    await write("survey_answers", [{ ...answer("b", 1), value_text: text("deleted") }]);
    expect(readFileSync(path, "latin1")).toMatch(/(?=.*replaced).*deleted/s);
    await write("survey_answers", [{ ...answer("a", 1), value_text: "short" }]);
    await write("survey_answers", [], "{}", ["b"]);
    expect(readFileSync(path, "latin1")).not.toMatch(/replaced|deleted/);
  });
});

it("the file is for its owner alone, and remembers each sync with its settings", async () => {
  const tables = await open();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await tables.began(requireConfiguration({ api_key: "key", start_date: "2026-01-01T00:00:00Z" }).selection);
  await tables.close("complete");
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(sql("select * from _survey_export_syncs")).toEqual([
    {
      began_at: time,
      ended_at: time,
      outcome: "complete",
      start_date: "2026-01-01T00:00:00.000000Z",
      end_date: null,
      lookback_seconds: 1800,
      survey_ids: "[]",
      excluded_survey_ids: "[]",
    },
  ]);
});
