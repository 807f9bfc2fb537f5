import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { newStream } from "../../../tools/generate/new-stream.ts";

const root = join(import.meta.dirname, "../../..");

describe("a new stream", async () => {
  const files = await newStream("survey_firsts");

  test("is four files: its definition, the list, the manifest's page and a test at the definition's mirror", () => {
    expect([...files.keys()]).toEqual([
      "connector/core/streams/survey-firsts.ts",
      "connector/core/streams/index.ts",
      "manifest/README.md",
      "test/connector/core/streams/survey-firsts.test.ts",
    ]);
    expect(files.get("connector/core/streams/survey-firsts.ts")).toContain('title: "SurveyFirst",');
  });

  test("changes nothing of a file that is there but its own line", async () => {
    const added: Record<string, string[]> = {
      "connector/core/streams/index.ts": [
        'import { surveyFirsts } from "./survey-firsts.ts";',
        "  surveyFirsts,",
      ],
      "manifest/README.md": ["The stream `survey_firsts` is not in the manifest.", ""],
    };
    for (const [path, lines] of Object.entries(added)) {
      const before = (await readFile(join(root, path), "utf8")).split("\n");
      const after = files.get(path)!.split("\n");
      expect(after).toHaveLength(before.length + lines.length);
      expect(after.filter((line) => line === "" || !lines.includes(line))).toEqual(
        expect.arrayContaining(before),
      );
      for (const line of lines) expect(after).toContain(line);
    }
  });

  test("imports only what is there", () => {
    for (const [path, text] of files) {
      for (const [, from] of text.matchAll(/from "(\..+)";/g)) {
        const target = join(dirname(path), from!);
        expect(files.has(target) || existsSync(join(root, target)), target).toBe(true);
      }
    }
  });
});

test.each(["choices", "Survey_choices", "survey-firsts", "survey_", "survey_choices.ts", "../a_b", ""])(
  "the name %j is refused with an example",
  async (name) => {
    await expect(newStream(name)).rejects.toThrow(
      `"${name}" cannot be the name of a stream. Write two words or more like this: survey_choices.`,
    );
  },
);

test.each(["survey_answers", "response_record"])("the name %s is taken", async (name) => {
  const file = `connector/core/streams/${name.replace("_", "-")}.ts`;
  await expect(newStream(name)).rejects.toThrow(
    `The name ${name} is taken: ${file} is there. Choose another one.`,
  );
});

test("a name that would give records the name of another stream's is refused", async () => {
  await expect(newStream("survey_response")).rejects.toThrow(
    "The records of survey_responses have the name SurveyResponse, as those of survey_response would. Choose another one.",
  );
});
