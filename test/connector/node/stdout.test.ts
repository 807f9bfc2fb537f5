import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

const CHUNK_BYTES = 10_000;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

it("a write resolves when the reader has taken it", async () => {
  const program = `
    import { createStdout } from "./connector/node/stdout.ts";
    const stdout = createStdout(() => process.exit(1));
    const bytes = Buffer.alloc(${CHUNK_BYTES});
    for (const letter of "${LETTERS}") {
      await stdout.write(bytes.fill(letter));
      process.stderr.write(letter);
    }
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  // The pipe is full by then.
  await new Promise<void>((resolve) => {
    let taken = "";
    child.stderr.setEncoding("utf8").on("data", (letters: string) => {
      taken += letters;
      if (taken.includes("f")) setTimeout(resolve, 200);
    });
  });
  const expected = [...LETTERS].map((letter) => letter.repeat(CHUNK_BYTES)).join("");
  expect((await text(child.stdout)) === expected).toBe(true);
});
