import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { configOf, surveyOf, type testSandbox } from "../../../support/sandbox.ts";

/** The pages about deletions and erasure. */
export const pages = ["deletions", "personal-data"]
  .map((name) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8"))
  .join("\n");

/** The statement or command of these pages after the line `<!-- run: name -->` or `<!-- generated: name -->`. */
export function documented(name: string): string {
  const found = new RegExp(`<!-- \\w+: ${name} -->\\s+\`\`\`\\w+\\n([^]*?)\`\`\``).exec(pages)?.[1];
  if (found === undefined) throw new Error(`The pages have nothing by the name ${name}.`);
  return found;
}

/** The names of all statements and commands of these pages. */
export const documentedNames = (): string[] =>
  [...pages.matchAll(/<!-- \w+: (\w+) -->\s+```/g)].map(([, name]) => name!);

/** The person and the salt of `docs/personal-data.md`. Every value of the person's own contains "wilma". */
export const UUID = "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10";
export const SALT = "0123456789abcdef0123456789abcdef";
export const HASH = createHmac("sha256", SALT).update(UUID).digest("hex");
const TRACES = [UUID, HASH, "wilma"];
/** Finds any trace of the person. */
export const TRACE = new RegExp(TRACES.join("|"), "i");

const WITHIN = { from: "2026-01-01T00:00:00.000000Z", to: "2026-09-30T12:00:00.000000Z", respondents: 25 };

/** A sandbox with two surveys that many people answered, the person among them. */
export async function sandboxWithWilma(start: typeof testSandbox): Promise<Sandbox> {
  const sandbox = await start({
    surveys: ["1001", "1002"].map((id, number) => ({
      name: `Survey ${id}`,
      ...surveyOf(id, 130 - 60 * number, { ...WITHIN, seed: 60 + number }),
    })),
  });
  sandbox.service.describe({ uuid: UUID, attributes: [{ name: "nickname", value: "Wilma the first" }] });
  collectFromWilma(sandbox, "1001", "2026-03-04T05:06:07.000001Z");
  collectFromWilma(sandbox, "1002", "2026-09-04T05:06:07.000001Z");
  return sandbox;
}

/** Another response of the person, with personal data in every place. Returns its UUID. */
export function collectFromWilma(sandbox: Sandbox, survey: string, collected_at: string): string {
  const [uuid] = sandbox.service.collect(survey, [
    {
      collected_at,
      respondent_uuid: UUID,
      attributes: [{ name: "nickname", value: "Wilma again" }],
      fields: {
        url: "https://shop.example/cart?mail=wilma%40mail.example",
        platform: "Wilma's phone",
        note: "wilma in a field that nobody knows",
        answers: [
          { question_id: 9001, question_type: "single", answer: "I am Wilma." },
          {
            question_id: 9002,
            question_type: "single",
            answer: { id: 1, content: "Yes", comment: "Ask Wilma" },
          },
          {
            question_id: 9003,
            question_type: "single",
            fields: [{ type: "email", content: "wilma@mail.example" }],
          },
        ],
      },
    },
  ]);
  return uuid!;
}

/** How the source is configured to read it all. With `hash`, the person is known by the hash alone. */
export const configuration = (sandbox: Sandbox, respondents: "keep" | "hash" = "keep") => ({
  ...configOf(sandbox, { attributes: ["nickname"] }),
  ...(respondents === "hash" ? { personal_data: { respondent_identifiers: "hash", hash_salt: SALT } } : {}),
});
