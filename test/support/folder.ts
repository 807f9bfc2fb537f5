import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** The files that a command of the program is given. */
export interface Given {
  readonly config: unknown;
  /** For `read`. */
  readonly catalog?: unknown;
  readonly state?: unknown;
}

/** A new folder, and the files that tests write into it. */
export class Folder {
  readonly #path = mkdtempSync(join(tmpdir(), "survey-export-test-"));

  /** The path of a file in it, or its own. */
  path(name = ""): string {
    return join(this.#path, name);
  }

  /** Text and bytes as they are, anything else as JSON. @returns the file's path */
  async file(name: string, content: unknown): Promise<string> {
    const isText = typeof content === "string" || Buffer.isBuffer(content);
    await writeFile(this.path(name), isText ? content : JSON.stringify(content));
    return this.path(name);
  }

  /** The words of a command that reads these files. */
  async words(command: "check" | "discover" | "read", given: Given): Promise<string[]> {
    const names = ["config", "catalog", "state"] as const;
    const used = names.filter((name) => given[name] !== undefined);
    const files = used.map(async (name) => [`--${name}`, await this.file(`${name}.json`, given[name])]);
    return [command, ...(await Promise.all(files)).flat()];
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** A folder for the tests of a file, which is removed after them. */
export function testFolder(): Folder {
  const folder = new Folder();
  afterAll(() => folder.remove());
  return folder;
}

/** A folder for the running test, which is removed after it. */
export function folderForTest(): Folder {
  const folder = new Folder();
  onTestFinished(() => folder.remove());
  return folder;
}
