import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PersonalDataSetting } from "../../../../connector/core/privacy/personal-data.ts";
import { all, hash, treat } from "./support/treat.ts";

describe("a treated value", () => {
  it("hashes a value alike in every kind, and other values otherwise", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        const hashed = (text: string) => treat(all("hash"), "respondent_attributes", { value: text }).value;
        const answered = (text: string) =>
          treat(all("hash"), "survey_answers", { answer_type: "text", value_text: text }).value_text;
        expect(hashed(one)).toBe(answered(one));
        if (!one.includes("@") && one !== other) expect(hashed(one)).not.toBe(hashed(other));
      }),
    );
  });

  it.each([
    [" Wilma@Mail.Example\n", "wilma@mail.example"],
    ["6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"],
  ])("hashes %j like %j", (one, other) => {
    const hashed = (value: string) => treat(all("hash"), "respondent_attributes", { value }).value;
    expect(hashed(one)).toBe(hashed(other));
  });

  it.each([
    [" Wilma.O'Hara+News@Mail.Example ", "wilma.o'hara+news@mail.example"],
    ["Jörg_1@Müller-Söhne.example", "jörg_1@müller-söhne.example"],
    [" 6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"],
    ...[
      ...[
        "token=AbC&mail=w@x.y",
        "https://medium.com/@Anna",
        "mailto:Wilma@mail.example",
        "A/B@mail.example",
      ],
      ...[
        "Q?x@mail.example",
        "Anna@localhost",
        "Anna@mail.",
        "Anna@.example",
        "@Anna.Example",
        "a@B@c.example",
      ],
      ...[" Note:A@B ", "Call Anna@mail.example", " Anna "],
    ].map((text) => [text, text]),
  ])("hashes %j as %j", (text, hashed) => {
    expect(treat(all("hash"), "respondent_attributes", { value: text }).value).toBe(hash(hashed!));
  });

  it.each([null, "", undefined])("leaves %j as it is", (value) => {
    for (const handling of ["hash", "omit"] as const) {
      expect(treat(all(handling), "respondent_attributes", { value }).value).toBe(value);
    }
  });

  it.each([
    ["https://shop.example/cart?mail=a#b", "https://shop.example/cart", "mail=a#b"],
    ["https://wilma:pw@shop.example/a@b#x", "https://shop.example/a@b", "x"],
    ["https://shop.example/a%3Fmail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/cart?", "https://shop.example/cart", undefined],
    ["https://shop.example/a%253Fmail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/a%25253fmail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/a;mail=b", "https://shop.example/a", "mail=b"],
    ["https://shop.example/a&mail=b?c", "https://shop.example/a", "mail=b?c"],
    ["https://shop.example/a%3Bmail=b", "https://shop.example/a", "mail=b"],
    ["HTTP://wilma@[2001:db8::1]:8080/a?b", "HTTP://[2001:db8::1]:8080/a", "b"],
    ["https://Müller-Söhne.example:443#x", "https://Müller-Söhne.example:443", "x"],
    ["https://localhost/a%20b/100%", "https://localhost/a%20b/100%", undefined],
  ])("of the URL %s keeps %s", (url, kept, query) => {
    expect(urlWith({ url_query: "omit" }, url)).toBe(kept);
    expect(urlWith({ url_query: "hash" }, url)).toBe(query === undefined ? kept : `${kept}?${hash(query)}`);
  });

  it.each([
    ...["https:\\\\wilma@shop.example/", "https:/wilma@shop.example", "//wilma@shop.example/cart"],
    ...[
      "https://wilma@mail@shop.example/",
      "https://wilma%40mail.example/",
      "https://wilma:pw",
      "https:///wilma",
    ],
    ...["https://shop.example\\wilma", "https://shop.example%3Fwilma", " https://wilma@shop.example/"],
    ...["mailto:wilma@mail.example", "data:text/plain,wilma", "app://wilma", "ht\ntps://wilma@a.b/", "wilma"],
  ])("treats %j as a whole, since it is no web address with a host", (url) => {
    expect(urlWith({ url_query: "omit" }, url)).toBe(null);
    expect(urlWith({ url_query: "hash" }, url)).toBe(hash(url));
    expect(urlWith({ url: "host_only" }, url)).toBe(null);
  });

  it.each([
    ["https://wilma@shop.example:8080/cart?mail=a", "https://shop.example:8080"],
    ["http://shop.example", "http://shop.example"],
    ["", ""],
    [null, null],
    [{ href: "https://wilma.example" }, null],
    [["https://wilma.example"], null],
  ])("keeps only the host of the URL %j, or leaves it out", (url, host) => {
    for (const handling of ["keep", "hash", "omit"] as const) {
      expect(urlWith({ url: "host_only", url_query: handling }, url)).toBe(host);
      expect(urlWith({ url: "omit", url_query: handling }, url)).toBe(url ? null : url);
    }
  });

  const urlWith = (setting: PersonalDataSetting, url: unknown): unknown =>
    treat(setting, "survey_responses", { url }).url;
});
