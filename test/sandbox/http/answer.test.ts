import { describe, expect, it } from "vitest";
import { inProcess, pageOf } from "../support/client.ts";
import { list, surveys } from "../support/six-responses.ts";

describe("the page cache", () => {
  it("is emptied when the data changes", async () => {
    const client = await inProcess({ cachePages: true, surveys });
    const first = await client.get(list);
    expect(await client.get(list)).toEqual(first);
    const [added] = client.service.collect("1", 1);
    expect(pageOf(await client.get(list)).data[0].response.uuid).toBe(added);
  });
});
