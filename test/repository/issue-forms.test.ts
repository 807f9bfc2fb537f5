import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Entry {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string };
}

const FOLDER = ".github/ISSUE_TEMPLATE";
const files = globSync(`${FOLDER}/*.yml`);
const forms = files.filter((path) => !path.endsWith("/config.yml"));

test.each(forms)("%s is a form that GitHub can show", (path) => {
  const form = parse(readFileSync(path, "utf8")) as { name: string; description: string; body: Entry[] };
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
  const questions = form.body.filter(({ type }) => type !== "markdown");
  expect(questions.length).toBeGreaterThan(1);
  for (const { id, attributes } of questions) expect([id, attributes.label]).not.toContain(undefined);
  expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
});

test("every link of a form leads to a file of the repository", () => {
  const paths = files.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/survey-export\/blob\/main\/([\w./-]+)/g)].map(([, to]) => to!),
  );
  expect(paths).toEqual(expect.arrayContaining(["docs/troubleshooting.md", "SECURITY.md"]));
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test("a report of an error asks for the version and for its lines, and that no key is in it", () => {
  const { body } = parse(readFileSync(`${FOLDER}/bug.yml`, "utf8")) as { body: Entry[] };
  expect(body.map(({ id }) => id)).toEqual(expect.arrayContaining(["version", "lines", "no_key"]));
});
