import { PERSONAL_DATA_KINDS, parseSalt } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireConfiguration } from "../../../connector/airbyte/configuration.ts";
import specification from "../../../spec/connection.json" with { type: "json" };

const SALT = "0123456789abcdef0123456789abcdef";
const parse = (personal_data: unknown, more: object = {}) =>
  requireConfiguration({
    base_url: "https://api.example.com/v2",
    api_key: "k",
    survey_ids: ["1"],
    personal_data,
    ...more,
  });

describe("personal_data", () => {
  it.each([undefined, null, "", {}, { free_text: null, hash_salt: "" }])("may be left alone: %j", (given) => {
    const { personalData, secret } = parse(given);
    expect(personalData).toEqual(
      Object.fromEntries([...PERSONAL_DATA_KINDS, "url"].map((kind) => [kind, "keep"])),
    );
    expect(secret.hashSalt).toBe("");
  });

  it("gives the setting and the salt, apart from each other", () => {
    const { personalData, secret } = parse({ free_text: "hash", url: "host_only", hash_salt: SALT });
    expect(personalData).toMatchObject({ free_text: "hash", url: "host_only", contact_fields: "keep" });
    expect(secret.hashSalt).toBe(SALT);
    expect(JSON.stringify(personalData)).not.toContain("salt");
  });

  it.each([
    [
      { free_text: "hash" },
      "personal_data.free_text is hash, and personal_data.hash_salt is missing. Give a salt of 32 random characters, or choose keep or omit.",
    ],
    [
      { free_text: "remove" },
      'personal_data.free_text is not one of "keep", "hash" and "omit". Choose one of them.',
    ],
    [{ free_text: "hash", hash_salt: 7 }, "personal_data.hash_salt is not a string. Write it in quotes."],
    ["omit", 'personal_data is not an object. Write it like { "free_text": "omit" }.'],
    [
      { freetext: "omit" },
      "personal_data holds a field that is not one of contact_fields, free_text, answer_labels, attribute_values, url_query, respondent_identifiers, url, hash_salt. Correct its name.",
    ],
  ])("is refused as %j", (given, sentence) => {
    expect(() => parse(given)).toThrow(sentence);
  });

  it.each([`${SALT}\n`, ` ${SALT}`, `\t${SALT}\r\n`])(
    "leaves out the white space around a salt: %j",
    (salt) => {
      expect(parse({ free_text: "hash", hash_salt: salt }).secret.hashSalt).toBe(SALT);
    },
  );

  it.each(["pepper", "0123456789abcde", "   0123456789   ", "     "])(
    "refuses a salt that could be guessed: %j",
    (salt) => {
      for (const handling of ["hash", "omit"]) {
        expect(() => parse({ free_text: handling, hash_salt: salt })).toThrow(
          "personal_data.hash_salt is shorter than 16 characters. It could be guessed, and with a list of addresses everything that was hashed with it. Give 32 random characters, such as openssl rand -hex 16 prints.",
        );
      }
    },
  );

  it("refuses the same salts in the form", () => {
    const { pattern } = specification.properties.personal_data.properties.hash_salt;
    const salt = fc.string({ unit: fc.constantFrom("a", "b", "😀", " ", "\n"), maxLength: 24 });
    fc.assert(
      fc.property(salt, (text) => {
        expect(new RegExp(pattern, "u").test(text)).toBe(!parseSalt(text).isWeak);
      }),
    );
  });

  it.each([
    ...["personalData", "personal-data", "PERSONAL_DATA", "personal data"],
    ...["personal_datas", "personalDate", "personl_data", "personal_data2"],
  ])("is not ignored when it is written %s", (name) => {
    expect(() => parse(undefined, { [name]: { free_text: "omit" } })).toThrow(
      "A field is spelled almost like personal_data. Write it as personal_data.",
    );
  });

  it.each([
    ["free_text", "free_text"],
    ["FreeText", "free_text"],
    ["contact_field", "contact_fields"],
    ["hash_salt", "hash_salt"],
    ["hashSalt", "hash_salt"],
  ])("is not ignored if its part %s is beside it", (name, part) => {
    for (const given of [undefined, { url_query: "omit" }]) {
      expect(() => parse(given, { [name]: "omit" })).toThrow(
        `${part} is beside personal_data, where it has no effect. Move it into personal_data.`,
      );
    }
  });

  it.each(["personal_info", "data", "text", "salt", "__injected_declarative_manifest"])(
    "is not meant by %s",
    (name) => {
      expect(() => parse(undefined, { [name]: "omit" })).not.toThrow();
    },
  );

  it("is left alone if a form wrote an empty text beside it", () => {
    expect(() => parse(undefined, { free_text: null, hash_salt: "" })).not.toThrow();
  });
});
