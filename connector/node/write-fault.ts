const FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EIO: "the disk reports an error",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  EEXIST: "something else is in its place",
  EISDIR: "a folder is in its place",
  ENOTDIR: "a file is in the place of a folder",
};

/** Why something cannot be written, as the end of a sentence. `thrown`: an error of the file system. */
export function writeFault(thrown: unknown): string {
  const { code = "", message = String(thrown) } = thrown as NodeJS.ErrnoException;
  return FAULTS[code] ?? message;
}
