import { SurveyExportError } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf } from "../../../../connector/core/client/address.ts";

const BASE = "https://api.example.com/v2";

describe("a continuation is base_url and next_url, byte for byte (S2)", () => {
  it.each([
    ["/surveys/1/responses?start=2026-01-01T00:00:00.000000Z&attributes[]=a", undefined],
    ["/surveys/a%2Fb/responses?x=%5B%5d", undefined],
    ["/surveys/1/responses?next=https://other.example//..", undefined],
    ["surveys/1/responses", `${BASE}/surveys/1/responses`],
    ["/surveys/1/responses?q=a b ü", `${BASE}/surveys/1/responses?q=a%20b%20%C3%BC`],
    ["?page=2", `${BASE}/?page=2`],
  ])("%j", (path, address = BASE + path) => {
    expect(addressOf(BASE, path)).toBe(address);
    expect(addressOf(`${BASE}/`, path)).toBe(address);
  });
});

describe("a link that could leave base_url is refused before a request is made", () => {
  it.each([
    ["https://other.example/v2/surveys/1/responses", "javascript:alert(1)", "data:text/plain,x"],
    ["//other.example/v2/x", "\\\\other.example/x", "/\\other.example/x", "/surveys\\..\\.."],
    ["/../v1/x", "/surveys/../../x", "..", "./x", "/%2e%2e/v1/x", "/%2E./x", "/a%2f..%2fb", "/a/..%5cb"],
    ["/.\t./v1/x", "\thttps://other.example/", "/x\r\nhost: other.example", "/x\u0000", "/x#fragment"],
    ["@other.example/x", "user:password@other.example/x", ":1@other.example/x", "\ud800"],
  ])("%j …", (...paths) => {
    for (const path of paths)
      expect(addressOf(BASE, path)).toMatchObject({
        message: expect.stringMatching(/^The service sent a link to .+ leaves the service's address /),
      });
  });

  it("whatever it is made of: what is not refused stays under base_url, for every reader of addresses", () => {
    const bit = fc.constantFrom(
      ...["/", "\\", ".", "..", "%2e", "%2f", "%5c", "@", ":", "//", "https:", "other.example", "?", "#"],
      ...["\t", "\n", " ", "v2", "a", "ü", "\ud83d", "%", "%00", "[", "]", ";", "&", "=", "|"],
    );
    const bits = fc.oneof({ weight: 4, arbitrary: bit }, { weight: 1, arbitrary: fc.string() });
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 9 }), (path) => {
        const address = addressOf(BASE, path.join(""));
        if (address instanceof SurveyExportError) {
          expect(address.code).toBe("refused_link");
          return;
        }
        expect(address.startsWith(`${BASE}/`)).toBe(true);
        expect(address).toMatch(/^[\x21-\x7e]+$/);
        const url = new URL(address);
        expect(url.origin).toBe("https://api.example.com");
        expect(url.pathname.startsWith("/v2/")).toBe(true);
        expect([url.username, url.password]).toEqual(["", ""]);
        // A reader that decodes before it resolves sees no way up either.
        let decoded = url.pathname;
        try {
          decoded = decodeURIComponent(url.pathname);
        } catch {}
        expect(decoded.split(/[/\\]/)).not.toContain("..");
      }),
      { numRuns: 5000 },
    );
  });
});
