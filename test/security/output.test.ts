import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutSecret } from "../../connector/airbyte/output.ts";

async function written(secret: string, lines: string): Promise<string> {
  let text = "";
  await withoutSecret(
    {
      write: async (more) => {
        text += more;
      },
    },
    secret,
  ).write(lines);
  return text;
}
const log = (message: string): string =>
  `${JSON.stringify({ type: "LOG", log: { level: "INFO", message } })}\n`;
/** Any key that a header may hold; a run of backslashes is the one thing that quoting makes ambiguous. */
const secrets = fc
  .string({
    unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 80,
  })
  .filter((secret) => !secret.includes("\\\\"));

describe("the last guard of the key, in what we say ourselves", () => {
  it("blanks it, quoted any number of times and percent-encoded", async () => {
    await fc.assert(
      fc.asyncProperty(
        secrets,
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
        async (secret, quotes, encode) => {
          let said = encode ? encodeURIComponent(secret) : secret;
          for (let quote = 0; quote < quotes; quote++) said = JSON.stringify(said);
          expect(await written(secret, log(`It said ${said} and more`))).toContain("****");
          expect(await written(secret, log(`It said ${said} and more`))).not.toContain(secret.slice(0, 8));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("blanks the part of it that an excerpt ends with", async () => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.nat(80), async (secret, length) => {
        const part = secret.slice(0, Math.max(8, Math.min(length, secret.length)));
        expect(await written(secret, log(`It said ${JSON.stringify(`${part}…`)}.`))).not.toContain(part);
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves records and states as they came, since they are the user's data", async () => {
    const lines =
      '{"type":"RECORD","record":{"data":{"url":"SECRET-KEY-1"}}}\n{"type":"STATE","state":{"SECRET-KEY-1":1}}\n';
    expect(await written("SECRET-KEY-1", lines)).toBe(lines);
    expect(await written("SECRET-KEY-1", lines + log("SECRET-KEY-1"))).toBe(lines + log("****"));
  });

  it("copes with a key of any length", async () => {
    for (const length of [1, 7, 8, 5000]) {
      const secret = "k".repeat(length);
      const text = await written(secret, log(`x ${secret} y`));
      expect(text.includes("****")).toBe(length >= 8);
    }
  });
});
