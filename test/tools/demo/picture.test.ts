import { describe, expect, test } from "vitest";
import { color, drawn, escaped, PALETTE, picture, SERIES_COLORS } from "../../../tools/demo/picture.ts";

/** The contrast of two colours, from 1 to 21 (WCAG 2). */
function contrastOf(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("in %s colours", (_, which) => {
  const texts = (Object.keys(PALETTE) as (keyof typeof PALETTE)[]).filter(
    (name) => !["paper", "card", "faint"].includes(name),
  );

  test.each(texts)("a text in %s can be read on paper and on a card", (name) => {
    for (const ground of ["paper", "card"] as const) {
      expect(contrastOf(PALETTE[name][which], PALETTE[ground][which])).toBeGreaterThanOrEqual(4.5);
    }
  });
});

const BARS = {
  data: { values: [{ name: 'A & "B" <C>', share: 1 / 3 }] },
  mark: "bar",
  encoding: {
    x: { field: "share", type: "quantitative" },
    y: { field: "name", type: "nominal" },
    color: { field: "name", type: "nominal" },
  },
};

test("a chart takes the colours of the page that it is in, and has one label", async () => {
  const svg = await drawn(BARS, 'Shares of "A"');
  expect(svg).toMatch(/^<svg role="img" aria-label="Shares of &quot;A&quot;" /);
  expect(svg.match(/ (role|aria-\w+)=/g)).toHaveLength(2);
  expect(svg).toContain(`fill="${SERIES_COLORS[0]}"`);
  expect(svg).toContain('A &amp; "B" &lt;C&gt;');
});

test("a picture has its own colours for both schemes, and paper behind it", async () => {
  const svg = await picture(BARS, "Shares");
  const [light, dark] = PALETTE["series-1"];
  expect(svg).toContain(`<rect width="100%" height="100%" fill="${PALETTE.paper[0]}"/>`);
  expect(svg).toContain(`[fill="${light}"]{fill:${dark}}`);
  expect(svg).not.toContain(color("series-1"));
  expect(await picture(BARS, "Shares")).toBe(svg);
});

test("no character of an escaped text means anything", () => {
  expect(escaped(`<a href="x">'&`)).toBe("&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
});
