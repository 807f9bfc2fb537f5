import { describe, expect, it } from "vitest";
import { inProcess, walk } from "../support/client.ts";
import { responses } from "../support/responses.ts";

describe("the content of responses", () => {
  it("is the same for the same seed and other for another", async () => {
    const texts = await Promise.all(
      [1, 1, 2].map(async (seed) => {
        const client = await inProcess({ seed, surveys: [{ id: "1", responses }] });
        const { pages } = await walk(client, "/surveys/1/responses?items_per_page=100&attributes[]=plan");
        return JSON.stringify(pages);
      }),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });
});
