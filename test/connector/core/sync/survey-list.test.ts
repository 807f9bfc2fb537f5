import { expect, it } from "vitest";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import { SurveyList } from "../../../../connector/core/sync/survey-list.ts";
import { PRESENT } from "../coverage/support/timestamps.ts";

it("its cuts lie on the finest unit that any of its pages has shown (S7)", () => {
  const settings = { itemsPerPage: 1, attributes: [] };
  const list = new SurveyList({
    id: "s",
    gaps: [{ older: null, newer: undefined }],
    edges: new Set(),
    settings,
  });
  const grains = ["00:00:03", "00:00:02.5", "00:00:01"].map((time, page) => {
    const body = {
      pagination_data: { has_more: true, next_url: `/surveys/s/responses?page=${page}` },
      data: [{ uuid: time, collected_at: `2026-01-01T${time}Z` }],
    };
    list.accept(list.next()!, parseItemPage(JSON.stringify(body), undefined, PRESENT, true));
    return list.grain;
  });
  expect(grains).toEqual([1_000_000, 1000, 1000]);
});
