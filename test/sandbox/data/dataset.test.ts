import { describe, expect, it } from "vitest";
import { inProcess, pageOf, responseOf, TRANSPORTS, walk } from "../support/client.ts";

const anna = "00000000-0000-4000-8000-00000000000a";
const surveys = [
  {
    id: "1",
    responses: Array.from({ length: 5 }, (_, number) => ({
      uuid: `r${number}`,
      collected_at: `2026-01-0${number + 1}T00:00:00.000000Z`,
      respondent_uuid: anna,
    })),
  },
  {
    id: "2",
    responses: [{ uuid: "other", collected_at: "2026-02-01T00:00:00.000000Z", respondent_uuid: anna }],
  },
];
const generated = {
  seed: 3,
  count: 400,
  density: "even",
  from: "2025-01-01T00:00:00.000000Z",
  to: "2026-01-01T00:00:00.000000Z",
  respondents: 90,
} as const;
const list = "/surveys/1/responses?items_per_page=2";

describe.each(TRANSPORTS)("data that changes %s", (_, connect) => {
  it("collected responses are the newest of all, in the order of their timestamps", async () => {
    const client = await connect({ surveys });
    const added = client.service.collect("1", 3);
    expect(added).toHaveLength(3);
    const page = pageOf(await client.get("/surveys/1/responses"));
    expect(page.data.map(({ response }) => response.uuid)).toEqual(
      [...added].reverse().concat(["r4", "r3", "r2", "r1", "r0"]),
    );
    expect(page.data[2].response.collected_at > "2026-02-01").toBe(true);
  });

  it("late responses have their own, older timestamps", async () => {
    const client = await connect({ surveys });
    client.service.collect("1", [
      { uuid: "late", collected_at: "2026-01-03T12:00:00.000000Z", respondent_uuid: "newcomer" },
    ]);
    const [later] = client.service.collect("1", { count: 1, lateByMs: 100_000 });
    const { items } = await walk(client, list);
    expect(items.map((item) => responseOf(item).uuid)).toEqual(["r4", later, "r3", "late", "r2", "r1", "r0"]);
    expect(pageOf(await client.get("/respondents/newcomer/responses")).data).toHaveLength(1);
  });

  it("removed data is in no list", async () => {
    const client = await connect({ surveys });
    expect(client.service.remove({ responses: ["r4", "r1", "unknown"] })).toBe(2);
    const uuids = async (path: string) =>
      (await walk(client, path)).items.map((item) => responseOf(item).uuid);
    expect(await uuids(list)).toEqual(["r3", "r2", "r0"]);
    expect(await uuids(`/respondents/${anna}/responses?items_per_page=3`)).toEqual([
      "other",
      "r3",
      "r2",
      "r0",
    ]);
    expect(client.service.remove({ surveys: ["2"] })).toBe(1);
    expect((await client.get("/surveys/2/responses")).status).toBe(404);
    expect(await uuids(`/respondents/${anna}/responses`)).toEqual(["r3", "r2", "r0"]);
    expect(client.service.remove({ respondents: [anna] })).toBe(1);
    expect((await client.get(`/respondents/${anna}/responses`)).status).toBe(404);
    expect((await client.get(`/respondents/${anna}/attributes`)).status).toBe(404);
    expect(await uuids(list)).toEqual(["r3", "r2", "r0"]);
  });

  it("a respondent's attributes are the ones described last", async () => {
    const client = await connect({ surveys });
    client.service.describe({ uuid: anna, attributes: [{ name: "plan", value: "Free" }] });
    client.service.describe({
      uuid: anna,
      attributes: [
        { name: "plan", value: "Pro" },
        { name: "city", value: "Oslo" },
      ],
    });
    const { data } = pageOf(await client.get(`/respondents/${anna}/attributes`));
    expect(data.map(({ name, value }) => [name, value])).toEqual([
      ["city", "Oslo"],
      ["plan", "Pro"],
    ]);
  });
});

describe("changes of generated data", () => {
  it("a respondent can be removed with all their responses", async () => {
    const client = await inProcess({ surveys: [{ id: "1", responses: generated }] });
    const { service } = client;
    const [first] = service.truth.responses("1");
    const uuid = first!.respondent_uuid;
    const theirs = service.truth.responsesOf(uuid).length;
    expect(theirs).toBeGreaterThan(0);
    service.remove({ respondents: [uuid], andTheirResponses: true });
    expect(service.truth.count("1")).toBe(400 - theirs);
    expect(service.truth.respondents("1").has(uuid)).toBe(false);
    const { items } = await walk(client, "/surveys/1/responses?items_per_page=100");
    expect(items.some((item) => responseOf(item).respondent.uuid === uuid)).toBe(false);
  });

  it("collected responses come from known and new respondents, the same in every run", () => {
    const runs = [0, 1].map(() => inProcess({ surveys: [{ id: "1", responses: generated }] }));
    return Promise.all(runs).then((both) => {
      const taken = both.map(({ service }) => {
        const before = service.truth.respondents("1");
        const uuids = new Set(service.collect("1", 30));
        const added = [...service.truth.responses("1")].filter(({ uuid }) => uuids.has(uuid));
        const known = added.filter(({ respondent_uuid }) => before.has(respondent_uuid)).length;
        expect(added).toHaveLength(30);
        expect(known).toBeGreaterThan(5);
        expect(known).toBeLessThan(30);
        return added;
      });
      expect(taken[0]).toEqual(taken[1]);
    });
  });
});
