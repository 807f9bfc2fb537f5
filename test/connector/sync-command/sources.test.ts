import { chownSync, symlinkSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { sourcesOf } from "../../../connector/sync-command/sources.ts";
import { type Folder, folderForTest } from "../../support/folder.ts";

const ME = process.geteuid!();
const SOMEBODY = ME + 1000;

let folder: Folder;
beforeEach(() => {
  folder = folderForTest();
});

const env = { SURVEY_EXPORT_API_KEY: "key" };
/** The configuration that a sync of a user with this uid finds. */
const found = (uid: number | undefined, config?: string) =>
  sourcesOf({ files: { config }, streams: undefined }, folder.path("surveys.sqlite"), env, uid).config;

const refused = () =>
  `"${folder.path("config.json")}" belongs to another user (uid ${ME}), who could send your key to an address of theirs. If you trust it, name it with --config. Else move it away.`;

it("config.json next to the target counts if it is this user's, and where files have no owners", async () => {
  expect(found(ME)).toBeUndefined();
  await folder.file("config.json", {});
  expect(found(ME)).toBe(folder.path("config.json"));
  expect(found(undefined)).toBe(folder.path("config.json"));
});

it.runIf(ME === 0)("it counts if it is root's, and not if it is another user's, whom it names", async () => {
  await folder.file("config.json", {});
  expect(found(SOMEBODY)).toBe(folder.path("config.json"));
  chownSync(folder.path("config.json"), SOMEBODY, SOMEBODY);
  expect(found(SOMEBODY)).toBe(folder.path("config.json"));
  expect(() => found(ME)).toThrow(refused().replace(`uid ${ME}`, `uid ${SOMEBODY}`));
});

it.runIf(ME === 0)("a link counts if it and what it leads to are this user's, or root's", async () => {
  await folder.file("mine.json", {});
  chownSync(folder.path("mine.json"), SOMEBODY, SOMEBODY);
  symlinkSync("mine.json", folder.path("config.json"));
  expect(() => found(ME)).toThrow("belongs to another user");
  expect(found(SOMEBODY)).toBe(folder.path("config.json"));
});

it.runIf(ME !== 0)("another user's does not count, and names them", async () => {
  await folder.file("config.json", {});
  expect(() => found(SOMEBODY)).toThrow(refused());
});

it("whose file --config names does not matter", async () => {
  const config = await folder.file("config.json", {});
  expect(found(SOMEBODY, config)).toBe(config);
});
