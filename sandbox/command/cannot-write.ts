import { resolve } from "node:path";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its file system is read-only",
  ENOSPC: "no space is left on the disk",
  EEXIST: "a file is in its place",
  ENOTDIR: "a file is in its place",
};

/** What happened and where, for a folder that an error of the file system keeps from being written. */
export function cannotWrite(folder: string, thrown: unknown): string {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  return `The folder ${resolve(folder)} cannot be written: ${REASONS[code] ?? message}.`;
}
