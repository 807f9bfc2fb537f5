import { expect, it } from "vitest";
import { verdictOn } from "../../../../connector/core/client/retry-policy.ts";
import { render } from "../../../../connector/core/text/message.ts";

it.each([
  [200, "use", "transient", "unavailable"],
  [204, "use", "transient", "unavailable"],
  [301, "fail", "config", "redirected"],
  [302, "fail", "config", "redirected"],
  [308, "fail", "config", "redirected"],
  [400, "fail", "config", "rejected"],
  [401, "fail", "config", "unauthorized"],
  [402, "fail", "config", "payment_required"],
  [403, "fail", "config", "forbidden"],
  [404, "fail", "config", "not_found"],
  [408, "retry", "transient", "unavailable"],
  [418, "fail", "system", "rejected"],
  [422, "fail", "config", "rejected"],
  [425, "retry", "transient", "unavailable"],
  [429, "pause", "transient", "rate_limited"],
  [500, "retry", "transient", "unavailable"],
  [502, "retry", "transient", "unavailable"],
  [503, "pause", "transient", "unavailable"],
  [504, "retry", "transient", "unavailable"],
  [599, "retry", "transient", "unavailable"],
] as const)("status %i: %s, of kind %s, as %s (S10)", (status, action, kind, code) => {
  expect(verdictOn(status)).toMatchObject({ action, kind, code });
});

it("every number has a verdict, with words for people", () => {
  for (let status = 0; status < 1000; status++) {
    const { what, advice } = verdictOn(status);
    expect(render(what)).toMatch(/^[A-Z].*[a-z]$/);
    expect(render(advice)).toMatch(/^[A-Z].*[^.]$/);
  }
});
