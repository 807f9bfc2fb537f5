import { describe, expect, it } from "vitest";
import { ANSWER_KINDS, readableAnswerRows } from "../../../connector/core/index.ts";
import { PERSONAL_DATA } from "../../../sandbox/index.ts";
import { pageOf, responseOf, TRANSPORTS, walk } from "../support/client.ts";

const anna = "00000000-0000-4000-8000-00000000000a";
const surveys = [
  {
    id: "1",
    responses: {
      seed: 1,
      count: 40,
      density: "even",
      from: "2025-01-01T00:00:00.000000Z",
      to: "2026-01-01T00:00:00.000000Z",
      respondents: 10,
    },
  },
  {
    id: "2",
    content: "little",
    responses: [
      {
        collected_at: "2026-01-01T00:00:00.000000Z",
        respondent_uuid: anna,
        attributes: [{ name: "plan", value: "pro" }],
      },
    ],
  },
] as const;
const NAMES = ["contact email", "contact name", "contact phone", "notes"];
const query = NAMES.map((name) => `attributes[]=${encodeURIComponent(name)}`).join("&");

/** The planted values that a text holds, in any spelling. */
const found = (text: string) =>
  PERSONAL_DATA.filter(({ spellings }) => spellings.some((spelling) => text.includes(spelling)));

describe.each(TRANSPORTS)("planted personal data %s", (_, connect) => {
  it("is in every item of every survey's list, and lies in no other place than the list says", async () => {
    const client = await connect({ surveys, personalData: true });
    const expected = PERSONAL_DATA.length;
    expect(expected).toBeGreaterThan(50);
    for (const id of ["1", "2"]) {
      const { items } = await walk(client, `/surveys/${id}/responses?items_per_page=100&${query}`);
      expect(items.length).toBe(client.service.truth.count(id));
      for (const item of items) expect(found(JSON.stringify(item))).toHaveLength(expected);
    }
  });

  it("is in one place of an item, so that a leak tells where it comes from", async () => {
    const client = await connect({ surveys, personalData: true });
    const [item] = pageOf(await client.get(`/surveys/2/responses?${query}`)).data;
    const text = JSON.stringify(item);
    for (const { place, spellings } of PERSONAL_DATA) {
      const times = spellings.reduce((sum, spelling) => sum + text.split(spelling).length - 1, 0);
      expect([place, times]).toEqual([place, 1]);
    }
    expect(new Set(PERSONAL_DATA.map(({ value }) => value)).size).toBe(PERSONAL_DATA.length);
  });

  it("follows the rules of attributes: only those asked for, none in a respondent's list, all in their own", async () => {
    const client = await connect({ surveys, personalData: true });
    const isAttribute = ({ place }: { place: string }) => place.startsWith("attributes of");
    const [bare] = pageOf(await client.get("/surveys/2/responses")).data;
    expect(found(JSON.stringify(bare)).some(isAttribute)).toBe(false);
    const [theirs] = pageOf(await client.get(`/respondents/${anna}/responses`)).data;
    expect([responseOf(theirs).attributes, responseOf(theirs).respondent.attributes]).toEqual([[], []]);
    const page = pageOf(await client.get(`/respondents/${anna}/attributes`));
    expect(page.data.map(({ name }) => name).sort()).toEqual(NAMES);
    const all = PERSONAL_DATA.filter(({ place }) => place.startsWith("attributes of a respondent"));
    expect(found(JSON.stringify(page))).toEqual(all);
    expect(page.data).toEqual(client.service.truth.attributes(anna));
  });

  it("leaves answers of every kind valid, with scores, ranks and ratings", async () => {
    const client = await connect({ surveys, personalData: true });
    const { answers } = responseOf(pageOf(await client.get("/surveys/2/responses")).data[0]);
    const kinds = answers.map((answer: unknown) => readableAnswerRows([answer]).rows[0]!.answer_type);
    expect(kinds.toSorted()).toEqual(Object.keys(ANSWER_KINDS).toSorted());
    for (const [place, kind] of kinds.entries()) {
      const planted = found(JSON.stringify(answers[place]));
      expect(planted.length).toBeGreaterThan(2);
      expect(new Set(planted.map((value) => value.place.split(" of ").at(-1)))).toEqual(new Set([kind]));
    }
    expect(answers[kinds.indexOf("nps")].answer).toMatchObject({ content: "7", tag: "passive" });
  });

  it("is nowhere without the option", async () => {
    const client = await connect({ surveys });
    const { items } = await walk(client, `/surveys/1/responses?items_per_page=100&${query}`);
    expect(found(JSON.stringify(items))).toEqual([]);
  });
});
