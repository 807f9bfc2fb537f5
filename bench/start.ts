import { spawnSync } from "node:child_process";
import { type Figure, median, row, type Size } from "./figure.ts";
import { BARE, catalogOf, optionsOf, SHIPPED, withSandbox } from "./program.ts";
import { survey } from "./service.ts";

const ROUNDS: Readonly<Record<Size, number>> = { full: 25, quick: 15, tiny: 1 };
const ID = "1";

/** How soon the shipped program answers: what needs nothing but itself, and what needs one request. */
export const start: Figure = {
  name: "start",
  about: "wall time of `spec` / `node -e 0`; of `check` and a quiet `read` / a bare program with one request",
  measure: (size) =>
    withSandbox({ surveys: [survey(ID, 20)], limits: false }, async ({ url, apiKey }) => {
      const rounds = ROUNDS[size];
      const config = optionsOf({ config: { base_url: url, api_key: apiKey, survey_ids: [ID] } });
      const read = [SHIPPED, "read", ...config, ...optionsOf({ catalog: catalogOf("survey_responses") })];
      const programs = {
        nothing: ["-e", "0"],
        spec: [SHIPPED, "spec"],
        bare: [BARE, url, apiKey, "survey_responses", ID],
        check: [SHIPPED, "check", ...config],
        read: [...read, ...optionsOf({ state: outputOf(read) })],
      };
      const ms: Record<string, number[]> = { nothing: [], spec: [], bare: [], check: [], read: [] };
      for (let round = 0; round < rounds; round++) {
        for (const [name, words] of Object.entries(programs)) {
          const beganMs = performance.now();
          outputOf(words);
          ms[name]!.push(performance.now() - beganMs);
        }
      }
      const ratio = (name: string, other: string): number =>
        median(ms[name]!.map((took, round) => took / ms[other]![round]!));
      return [
        row("spec", "`spec` / `node -e 0`", [ratio("spec", "nothing")]),
        row("oneRequest", "`check`; quiet `read` / a bare program", [
          ratio("check", "bare"),
          ratio("read", "bare"),
        ]),
      ];
    }),
};

/** Runs Node with these words, and throws if it fails or writes nothing but should. */
function outputOf(words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0 || (stdout === "" && words[0] !== "-e"))
    throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}
