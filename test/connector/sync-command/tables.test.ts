import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import { STREAMS, type StreamName, type StreamRecord } from "../../../connector/core/index.ts";
import { Tables } from "../../../connector/sync-command/tables.ts";
import { folderForTest } from "../../support/folder.ts";

let path: string;
beforeEach(() => {
  path = join(folderForTest().path(), "surveys.sqlite");
});

/** A record of a stream, whose other columns are null. */
const recordOf = (stream: StreamName, values: StreamRecord): StreamRecord => ({
  ...Object.fromEntries(Object.keys(STREAMS[stream].columns).map((name) => [name, null])),
  ...values,
});
const response = (uuid: string, values: StreamRecord = {}) =>
  recordOf("survey_responses", { uuid, ...values });
const answer = (uuid: string, position: number) =>
  recordOf("survey_answers", { response_uuid: uuid, survey_id: "s", question_id: 1, position });

/** A sync that writes these records of a stream, and then their state. */
function write(stream: StreamName, records: readonly StreamRecord[], state = "{}"): boolean {
  const tables = new Tables(path);
  try {
    const isChanged = tables.records(stream, records);
    tables.state(stream, state);
    return isChanged;
  } finally {
    tables.close(undefined);
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

const stateOf = (stream: string): unknown => {
  const tables = new Tables(path);
  const state = tables.readState().get(stream);
  tables.close(undefined);
  return state;
};

const error = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error("nothing was thrown");
};

describe("the table of a stream", () => {
  it.each(Object.values(STREAMS))(
    "$name has the columns of the catalog, and its key",
    ({ name, columns, primaryKey }) => {
      write(name, []);
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

  it("holds JSON and timestamps as text, numbers as numbers, booleans as 0 and 1", () => {
    write("survey_responses", [
      response("a", { collected_at: "2026-01-01T00:00:00.000000Z", answers: [{ ö: "👍" }] }),
    ]);
    write("survey_answers", [
      { ...answer("a", 1), value_number: 0.5, value_boolean: true, answer_id: 2 ** 53 },
    ]);
    expect(sql("select collected_at, answers, url from survey_responses")).toEqual([
      { collected_at: "2026-01-01T00:00:00.000000Z", answers: '[{"ö":"👍"}]', url: null },
    ]);
    expect(
      sql("select value_number, value_boolean, printf('%d', answer_id) as id from survey_answers"),
    ).toEqual([{ value_number: 0.5, value_boolean: 1, id: "9007199254740992" }]);
  });

  it("keeps the last reading of each key, also if it has fewer answers", () => {
    write("survey_responses", [response("a", { url: "old" }), response("b")]);
    write("survey_responses", [response("a", { url: "new" })]);
    expect(sql("select uuid, url from survey_responses order by uuid")).toEqual([
      { uuid: "a", url: "new" },
      { uuid: "b", url: null },
    ]);
    write("survey_answers", [answer("a", 1), answer("a", 2), answer("b", 1), answer("b", 2)]);
    write("survey_answers", [answer("a", 1)]);
    const left = sql("select response_uuid || position as key from survey_answers order by key");
    expect(left.map(({ key }) => key)).toEqual(["a1", "b1", "b2"]);
  });

  it("holds no text that databases cannot store, and says so", () => {
    expect(
      write("survey_responses", [response("a", { url: "x\0y\ud800", answers: ["\ud83d", "\0", "👍"] })]),
    ).toBe(true);
    expect(sql("select url, answers from survey_responses")).toEqual([
      { url: "x\ufffdy\ufffd", answers: '["\ufffd","\ufffd","👍"]' },
    ]);
    expect(write("survey_responses", [response("a", { url: "\\u0000" })])).toBe(false);
  });

  it("gets the columns that it does not have yet", () => {
    write("survey_responses", [response("a")]);
    sql("alter table survey_responses drop column language");
    write("survey_responses", [response("b", { language: "de" })]);
    expect(sql("select language from survey_responses order by uuid")).toEqual([
      { language: null },
      { language: "de" },
    ]);
  });
});

describe("a state", () => {
  it("is committed together with the rows before it", () => {
    const tables = new Tables(path);
    tables.records("survey_responses", [response("a")]);
    tables.commit();
    tables.records("survey_responses", [response("b")]);
    tables.state("survey_responses", '{"n":1}');
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }]);
    expect(sql("select state from _survey_export_state")).toEqual([]);
    expect(tables.close(true)).toBeUndefined();
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }, { uuid: "b" }]);
    expect(stateOf("survey_responses")).toEqual({ n: 1 });
  });

  it("of a table that somebody dropped does not count, also after a sync that was killed before its own state", () => {
    write("survey_responses", [response("a")], '{"n":1}');
    sql("drop table survey_responses");
    expect(stateOf("survey_responses")).toBeUndefined();
    const tables = new Tables(path);
    tables.records("survey_responses", [response("b")]);
    tables.state("surveys", "{}");
    tables.close(undefined);
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "b" }]);
    expect(stateOf("survey_responses")).toBeUndefined();
  });

  it("that is not JSON is refused", () => {
    write("surveys", [], "{");
    expect(error(() => stateOf("surveys"))).toBe(
      `A state in the table _survey_export_state of "${path}" is not valid JSON. Correct it, or delete its row to read the stream again.`,
    );
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
  ])("at its start: %s", (change, what) => {
    write("survey_responses", [response("a")], '{"n":1}');
    const database = new DatabaseSync(path);
    database.exec(change);
    database.close();
    expect(error(() => new Tables(path))).toBe(refused(what));
    expect(sql("select state from _survey_export_state")).toEqual([{ state: '{"n":1}' }]);
  });

  it("in the middle: no state is written after it", () => {
    write("survey_responses", [response("a", { language: "de" })], '{"n":1}');
    sql("create unique index one_language on survey_responses (language)");
    const tables = new Tables(path);
    const rows = [response("b"), response("c", { language: "de" })];
    const said = refused("UNIQUE constraint failed: survey_responses.language");
    expect(error(() => tables.records("survey_responses", rows))).toBe(said);
    expect(error(() => tables.state("survey_responses", '{"n":2}'))).toBe(said);
    tables.close(false);
    expect(sql("select uuid from survey_responses")).toEqual([{ uuid: "a" }]);
    expect(stateOf("survey_responses")).toEqual({ n: 1 });
  });

  it("that is no database", () => {
    writeFileSync(path, "somebody's text, which stays");
    expect(error(() => new Tables(path))).toBe(
      `"${path}" cannot be written: it is not a SQLite database, or is damaged. Move it away, and run again.`,
    );
  });

  it("that is a link", () => {
    symlinkSync("elsewhere", path);
    expect(error(() => new Tables(path))).toBe(
      `"${path}" is a link, or not a regular file. Move it away, and run again.`,
    );
  });
});

it("the file is for its owner alone, and remembers each sync with its settings", () => {
  const tables = new Tables(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  tables.began(requireConfiguration({ api_key: "key", start_date: "2026-01-01T00:00:00Z" }).selection);
  tables.close(true);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(sql("select * from _survey_export_syncs")).toEqual([
    {
      began_at: time,
      ended_at: time,
      outcome: "complete",
      start_date: "2026-01-01T00:00:00.000000Z",
      end_date: null,
      lookback_seconds: 1800,
    },
  ]);
});
