import { expect, it } from "vitest";
import type { PersonalDataSetting } from "../../../../connector/core/privacy/personal-data.ts";
import { all, hash, treat } from "./support/treat.ts";

it("a value has the same hash in every stream", () => {
  const attribute = treat(all("hash"), "respondent_attributes", { value: "Wilma" }).value;
  const answer = treat(all("hash"), "survey_answers", { answer_type: "text", value_text: "Wilma" });
  expect([attribute, answer.value_text]).toEqual([hash("Wilma"), hash("Wilma")]);
});

it.each([
  [" Wilma.O'Hara+News@Mail.Example\n", "wilma.o'hara+news@mail.example"],
  ["Jörg_1@Müller-Söhne.example", "jörg_1@müller-söhne.example"],
  [" 6F1C2A34-9B7E-4C1D-8E55-0A4B7C9D2E10", "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10"],
  ...[
    ...["token=AbC&mail=w@x.y", "https://medium.com/@Anna", "mailto:Wilma@mail.example", "Anna@localhost"],
    ...["A/B@mail.example", "Q?x@mail.example", "Anna@.example", "@Anna.Example", "a@B@c.example"],
    ...[" Note:A@B ", "Call Anna@mail.example", " Anna "],
  ].map((text) => [text, text]),
])("%j is hashed as %j", (text, hashed) => {
  expect(treat(all("hash"), "respondent_attributes", { value: text }).value).toBe(hash(hashed!));
});

it.each([null, "", undefined])("%j stays as it is", (value) => {
  for (const handling of ["hash", "omit"] as const)
    expect(treat(all(handling), "respondent_attributes", { value }).value).toBe(value);
});

const urlWith = (setting: PersonalDataSetting, url: unknown): unknown =>
  treat(setting, "survey_responses", { url }).url;

it.each([
  ["https://shop.example/cart?mail=a#b", "https://shop.example/cart", "mail=a#b"],
  ["https://wilma:pw@shop.example/a@b#x", "https://shop.example/a@b", "x"],
  ["https://shop.example/cart?", "https://shop.example/cart", undefined],
  ["https://shop.example/a%3Fmail=b", "https://shop.example/a", "mail=b"],
  ["https://shop.example/a%25253fmail=b", "https://shop.example/a", "mail=b"],
  ["https://shop.example/a;mail=b", "https://shop.example/a", "mail=b"],
  ["https://shop.example/a&mail=b?c", "https://shop.example/a", "mail=b?c"],
  ["HTTP://wilma@[2001:db8::1]:8080/a?b", "HTTP://[2001:db8::1]:8080/a", "b"],
  ["https://Müller-Söhne.example:443#x", "https://Müller-Söhne.example:443", "x"],
  ["https://localhost/a%20b/100%", "https://localhost/a%20b/100%", undefined],
])("of the URL %s, its query treated, %s is left", (url, kept, query) => {
  expect(urlWith({ url_query: "omit" }, url)).toBe(kept);
  expect(urlWith({ url_query: "hash" }, url)).toBe(query === undefined ? kept : `${kept}?${hash(query)}`);
});

it.each([
  ...["https:\\\\wilma@shop.example/", "//wilma@shop.example/cart", "https://wilma@mail@shop.example/"],
  ...["https://wilma%40mail.example/", "https://wilma:pw", "https:///wilma", "https://shop.example\\wilma"],
  ...["https://shop.example%3Fwilma", " https://wilma@shop.example/", "mailto:wilma@mail.example"],
  ...["data:text/plain,wilma", "app://wilma", "ht\ntps://wilma@a.b/", "wilma"],
])("%j is treated as a whole, since it is no web address with a host", (url) => {
  expect(urlWith({ url_query: "omit" }, url)).toBe(null);
  expect(urlWith({ url_query: "hash" }, url)).toBe(hash(url));
  expect(urlWith({ url: "host_only" }, url)).toBe(null);
});

it.each([
  ["https://wilma@shop.example:8080/cart?mail=a", "https://shop.example:8080"],
  ["http://shop.example", "http://shop.example"],
  ["", ""],
  [{ href: "https://wilma.example" }, null],
])("of the URL %j only the host is left, or nothing", (url, host) => {
  for (const handling of ["keep", "hash", "omit"] as const) {
    expect(urlWith({ url: "host_only", url_query: handling }, url)).toBe(host);
    expect(urlWith({ url: "omit", url_query: handling }, url)).toBe(url ? null : url);
  }
});
