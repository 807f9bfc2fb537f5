import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { given, type Message, outside, SurveyExportError, say } from "@survey-export/core";
import { pagePath } from "../node/page-path.ts";
import { thisUser } from "../node/this-user.ts";
import { GENERATOR } from "./page.ts";
import { report } from "./report.ts";
import type { Scope } from "./scope.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Where a page of ours says so. */
const START_BYTES = 1024;

/**
 * Writes the page about a database next to it, with the ending .html, for the owner alone. It replaces an earlier page, and no
 * other file. A page that cannot be written leaves the earlier one as it is.
 * @returns the address of the page
 * @throws SurveyExportError `invalid_configuration`
 */
export function writeReport(path: string, scope: Scope): string {
  const file = resolve(path);
  const page = pagePath(file);
  const markup = report(file, scope);
  try {
    requireOwnPage(page);
    replace(page, markup);
  } catch (thrown) {
    throw whyNotWritten(page, thrown);
  }
  return pathToFileURL(page).href;
}

/** @throws SurveyExportError if something is there that is no earlier page: a link, a folder, a FIFO, somebody's file */
function requireOwnPage(page: string): void {
  const found = lstatSync(page, { throwIfNoEntry: false });
  if (!found) return;
  if (found.isDirectory()) throw inTheWay(say`is a folder`, page);
  if (!found.isFile()) throw inTheWay(say`is a link, or not a regular file`, page);
  const start = Buffer.alloc(START_BYTES);
  const file = openSync(page, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  if (!start.toString("latin1").includes(GENERATOR))
    throw inTheWay(say`is not a page of an earlier report`, page);
}

const inTheWay = (what: Message, page: string): SurveyExportError =>
  refused(say`The page cannot be written: ${given(page)} ${what}. Move it away, and run again.`);

/** Puts the page in its place in one step, from a file next to it that no other program has. */
function replace(page: string, markup: string): void {
  const fresh = join(dirname(page), `.${basename(page)}.${process.pid}.new`);
  let isOurs = false;
  try {
    const file = openSync(fresh, "wx", 0o600);
    isOurs = true;
    try {
      writeFileSync(file, markup);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, page);
  } catch (thrown) {
    if (isOurs) rmSync(fresh, { force: true });
    throw thrown;
  }
}

const refused = (sentence: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", sentence);

const NO_ROOM = say`the disk is full. Make room, and run again.`;
const mayNot = (): Message =>
  say`${thisUser()} may not write there. Change the rights of the folder, or copy the database into a folder of your own.`;

function whyNotWritten(page: string, thrown: unknown): unknown {
  if (thrown instanceof SurveyExportError) return thrown;
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  if (code === "") return thrown;
  const isFull = code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
  const isRefused = code === "EACCES" || code === "EPERM" || code === "EROFS";
  const why = isFull
    ? NO_ROOM
    : isRefused
      ? mayNot()
      : say`${outside(message)}. Correct this, and run again.`;
  return refused(say`The page ${given(page)} cannot be written: ${why}`);
}
