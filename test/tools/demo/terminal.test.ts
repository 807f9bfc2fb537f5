import { expect, test } from "vitest";
import { animated, REDRAW } from "../../../tools/demo/terminal.ts";

const SVG = animated([
  { atMs: 0, text: "$ demo <1>\n" },
  { atMs: 1_000, text: `${REDRAW}half` },
  { atMs: 1_010, text: `${REDRAW}too soon to be seen` },
  { atMs: 4_000, text: `${REDRAW}done\n` },
]);
const row = (text: string) => SVG.split("\n").find((line) => line.includes(`>${text}<`));

test("a picture of a terminal shows each line from the time at which it was written", () => {
  // The last screen stays for eight seconds, so all of it takes twelve.
  expect(SVG).toContain("animation-duration:12000ms");
  expect(SVG).toContain("0%{opacity:0}8.33%{opacity:1}33.33%{opacity:0}");
  expect(SVG).toContain("0%{opacity:0}33.33%{opacity:1}}");
  expect(SVG).not.toContain("too soon");
});

test("a line that is drawn again stays in its row", () => {
  const place = (text: string) => /y="(\d+)"/.exec(row(text)!)![1];
  expect(place("half")).toBe(place("done"));
});

test("without animation the last screen is there", () => {
  // Only lines that went away are invisible by themselves.
  expect(row("half")).toMatch(/class="t k\d+ g"/);
  expect(row("done")).toMatch(/class="t k\d+"/);
  expect(SVG).toContain(".g{opacity:0}");
  expect(SVG.indexOf("animation-name")).toBeGreaterThan(SVG.indexOf("prefers-reduced-motion:no-preference"));
});

test("no text is markup", () => {
  expect(SVG).toContain("$ demo &lt;1&gt;");
});
