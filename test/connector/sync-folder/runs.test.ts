import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Runs } from "../../../connector/sync-folder/runs.ts";
import { StateFile } from "../../../connector/sync-folder/state-file.ts";

const NOW_MS = Date.UTC(2026, 0, 31, 12);
const RECORD = '{"type":"RECORD","record":{"stream":"a","data":{},"emitted_at":1}}\n';
const STATE =
  '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"a"},"stream_state":{"n":1}}}}\n';

let folder: string;
let state: StateFile;
let runs: Runs;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runs-"));
  state = new StateFile(join(folder, "state.jsonl"));
  state.touch();
  runs = new Runs(join(folder, "messages"), state);
});
afterEach(() => rmSync(folder, { recursive: true }));
const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path));

describe("a run", () => {
  it("is a file for its owner alone, named by its time, and by a later one if the clock was set back", () => {
    const part = runs.create(NOW_MS);
    expect(names([part])).toEqual(["20260131T120000.000Z.jsonl.part"]);
    expect(statSync(part).mode & 0o777).toBe(0o600);
    expect(runs.left).toEqual([part]);
    runs.keep(part);
    expect(names([runs.create(NOW_MS)])).toEqual(["20260131T120000.001Z.jsonl.part"]);
  });

  it("is kept with its whole lines, and moves the state", () => {
    const part = runs.create(NOW_MS);
    writeFileSync(part, `${RECORD}${STATE}${RECORD.slice(0, 20)}`);
    const { file, isStored } = runs.keep(part);
    expect([readFileSync(file, "utf8"), isStored, runs.left]).toEqual([RECORD + STATE, true, []]);
    expect(readFileSync(state.path, "utf8")).toBe(STATE);
  });

  it("that brought no records does not count when old ones are removed", () => {
    mkdirSync(join(folder, "messages/folder.jsonl"));
    const kept = [RECORD, RECORD, STATE, RECORD].map((text, day) => {
      const part = runs.create(NOW_MS + day * 86_400_000);
      writeFileSync(part, text);
      return runs.keep(part).file;
    });
    runs.removeAllBut(2);
    const left = kept.filter((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
    expect(left).toEqual(kept.slice(1));
  });
});
