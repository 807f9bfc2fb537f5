import { SurveyExportError } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf, leavesList } from "../../../../connector/core/client/address.ts";

const BASE = "https://api.example.com/v2";

describe("a continuation is base_url and next_url, byte for byte (S2)", () => {
  it.each([
    [
      "/surveys/1/responses?start=2026-01-01T00:00:00.000000Z&attributes[]=a",
      `${BASE}/surveys/1/responses?start=2026-01-01T00:00:00.000000Z&attributes[]=a`,
    ],
    ["surveys/1/responses", `${BASE}/surveys/1/responses`],
    ["/surveys/a%2Fb/responses?x=%5B%5d", `${BASE}/surveys/a%2Fb/responses?x=%5B%5d`],
    [
      "/surveys/1/responses?next=https://other.example//..",
      `${BASE}/surveys/1/responses?next=https://other.example//..`,
    ],
    ["/surveys/1/responses?q=a b ü", `${BASE}/surveys/1/responses?q=a%20b%20%C3%BC`],
    ["?page=2", `${BASE}/?page=2`],
  ])("%j is asked for as %j", (path, address) => {
    expect(addressOf(BASE, path)).toBe(address);
    expect(addressOf(`${BASE}/`, path)).toBe(address);
  });
});

describe("a continuation stays on its list's own path", () => {
  const LIST = "/surveys/a%20b/responses?items_per_page=1";
  it.each(["/surveys/a%20b/responses?start=x", "surveys/a b/responses", "/surveys/%61%20b/responses/?x"])(
    "%j is on it",
    (link) => expect(leavesList(LIST, link)).toBeUndefined(),
  );
  it.each(["/surveys/2/responses?start=x", "/respondents/a%20b/responses", "?start=x"])(
    "%j is not",
    (link) => {
      expect(leavesList(LIST, link)?.message).toMatch(
        /^The service sent a link to the next page that leads to another list /,
      );
    },
  );
});

describe("a continuation of somebody's list has their UUID in any case", () => {
  const ANN = "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10";
  const listOf = (uuid: string): string => `/respondents/${uuid}/responses?items_per_page=1`;

  it("since UUIDs are compared without it", () => {
    expect(leavesList(listOf(ANN), listOf(ANN.toUpperCase()))).toBeUndefined();
    expect(leavesList(listOf(ANN.toUpperCase()), listOf(ANN))).toBeUndefined();
    expect(leavesList(listOf(ANN), listOf(ANN.replace("6f1c", "%36F1C")))).toBeUndefined();
  });

  it.each([
    ["another UUID", ANN.replace("6f", "6e")],
    ["an id of another form", "Ann"],
  ])("but %s is another list", (_, id) => {
    const list = listOf(id === "Ann" ? "ann" : ANN);
    expect(leavesList(list, listOf(id))?.code).toBe("refused_link");
  });

  it("and the rest of its path as it was", () => {
    const link = listOf(ANN.toUpperCase()).replace("responses", "Responses");
    expect(leavesList(listOf(ANN), link)?.code).toBe("refused_link");
  });
});

describe("a link that could leave base_url is refused before a request is made", () => {
  it.each([
    "https://other.example/v2/surveys/1/responses",
    "http://api.example.com/v2/x",
    "HTTPS://other.example/",
    "javascript:alert(1)",
    "file:///etc/hostname",
    "data:text/plain,x",
    "//other.example/v2/x",
    "///other.example/x",
    "\\\\other.example/x",
    "/\\other.example/x",
    "/surveys\\..\\..",
    "/../v1/x",
    "/surveys/../../x",
    "..",
    "./x",
    "/%2e%2e/v1/x",
    "/%2E./x",
    "/a/%2e%2E",
    "/a%2f..%2fb",
    "/a/..%5cb",
    "/.\t./v1/x",
    "\thttps://other.example/",
    "/x\r\nhost: other.example",
    "/x\u0000",
    "/x#fragment",
    "@other.example/x",
    "user:password@other.example/x",
    ":1@other.example/x",
    ".other.example/x",
    "\ud800",
  ])("%j", (path) => {
    try {
      // A link like ".other.example/x" is harmless: it is joined with a slash and stays below base_url.
      const address = new URL(addressOf(BASE, path));
      expect(path).toBe(".other.example/x");
      expect(address.href).toBe(`${BASE}/.other.example/x`);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(SurveyExportError);
      expect((thrown as SurveyExportError).code).toBe("refused_link");
      expect((thrown as SurveyExportError).message).toMatch(
        /^The service sent a link to the next page that /,
      );
    }
  });

  it("whatever it is made of: what is not refused stays under base_url, for every reader of addresses", () => {
    const bit = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "%2e",
      "%2f",
      "%5c",
      "@",
      ":",
      "//",
      "https:",
      "other.example",
      "?",
      "#",
      "\t",
      "\n",
      " ",
      "v2",
      "a",
      "ü",
      "\ud83d",
      "%",
      "%00",
      "[",
      "]",
      ";",
      "&",
      "=",
      "|",
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: bit }, { weight: 1, arbitrary: fc.string() }), {
          maxLength: 9,
        }),
        (bits) => {
          let address: string;
          try {
            address = addressOf(BASE, bits.join(""));
          } catch (thrown) {
            expect((thrown as SurveyExportError).code).toBe("refused_link");
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
        },
      ),
      { numRuns: 5000 },
    );
  });
});
