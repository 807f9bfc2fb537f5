import type { GeneratedResponses } from "../../../sandbox/index.ts";

/** Three years of generated responses. */
export const responses: GeneratedResponses = {
  seed: 11,
  count: 2_000,
  density: "even",
  from: "2023-01-01T00:00:00.000000Z",
  to: "2026-01-01T00:00:00.000000Z",
  respondents: 500,
};
