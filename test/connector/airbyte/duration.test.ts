import { render } from "@survey-export/core";
import { expect, it } from "vitest";
import { aboutHowLong } from "../../../connector/airbyte/duration.ts";

it.each([
  [0, "less than a minute"],
  [59.9, "less than a minute"],
  [60, "about 1 minute"],
  [61, "about 2 minutes"],
  [119 * 60, "about 119 minutes"],
  [120 * 60, "about 2 hours"],
  [121 * 60, "about 3 hours"],
])("%i s are %s", (seconds, words) => {
  expect(render(aboutHowLong(seconds * 1000))).toBe(words);
});
