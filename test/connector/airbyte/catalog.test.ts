import { describe, expect, it, test } from "vitest";
import {
  catalogStreams,
  configuredCatalog,
  parseConfiguredCatalog,
} from "../../../connector/airbyte/catalog.ts";
import { KEYED_STREAMS } from "../../../sandbox/index.ts";

describe("discovery", () => {
  test.each(catalogStreams().map((stream) => [stream.name, stream] as const))(
    "%s keeps the rules of a catalog",
    (_, stream) => {
      const isResumable = (KEYED_STREAMS as readonly string[]).includes(stream.name);
      expect(stream.supported_sync_modes).toEqual(["full_refresh", "incremental"]);
      expect(stream).toMatchObject({ source_defined_cursor: true, is_resumable: isResumable });
      const { properties = {}, ...schema } = stream.json_schema as {
        properties?: Record<string, { type: unknown }>;
      };
      expect(schema).toMatchObject({ type: "object", additionalProperties: true });
      for (const [key] of stream.source_defined_primary_key)
        expect(["string", "integer"]).toContain(properties[key!]?.type);
      // Airbyte proposes Append + Deduped, and not Overwrite, for a stream with a cursor and a key.
      const isDated = "collected_at" in properties && !("snapshot_id" in properties);
      expect(stream.default_cursor_field).toEqual([isDated ? "collected_at" : "snapshot_id"]);
      expect(properties[stream.default_cursor_field![0]!]).toMatchObject(
        isDated ? { format: "date-time", airbyte_type: "timestamp_with_timezone" } : { type: "string" },
      );
    },
  );

  test("no schema holds a reference, a combination or a false additionalProperties; every field is described", () => {
    const visit = (node: Record<string, unknown>, path: string): void => {
      for (const keyword of ["$ref", "allOf", "anyOf", "oneOf", "not", "enum"])
        expect(node, path).not.toHaveProperty(keyword);
      expect(node.additionalProperties, path).not.toBe(false);
      const types = [node.type].flat();
      // In place of an answer, anything may be; all else is of one type, which every destination can store.
      const isAnswer = /\.answers\[\]\.(answer|answers|fields|action_performed)\b/.test(path);
      if (isAnswer) expect(types.length, path).toBeGreaterThan(5);
      else expect(types.length - Number(types.includes("null")), path).toBe(1);
      expect(node.description, path).toMatch(/^[A-Z].*\.$/);
      for (const [name, field] of Object.entries(node.properties ?? {})) visit(field, `${path}.${name}`);
      if (node.items !== undefined) visit(node.items as Record<string, unknown>, `${path}[]`);
    };
    for (const { name, json_schema } of catalogStreams()) visit(json_schema, name);
  });
});

describe("a configured catalog", () => {
  const stream = (name: unknown, sync_mode: unknown = "incremental") => ({ stream: { name }, sync_mode });

  it("is names and sync modes, whatever else it has", () => {
    const given = { streams: [stream("a"), { ...stream("b", "full_refresh"), generation_id: 3 }], more: 1 };
    expect(parseConfiguredCatalog(given)).toEqual([
      { name: "a", syncMode: "incremental" },
      { name: "b", syncMode: "full_refresh" },
    ]);
  });

  it("that names nothing reads every stream but the key snapshots, which cost a whole reading", () => {
    const snapshots = ["response_keys", "response_key_snapshots"];
    const names = catalogStreams().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(snapshots));
    expect(parseConfiguredCatalog(configuredCatalog()).map(({ name }) => name)).toEqual(
      names.filter((name) => !snapshots.includes(name)),
    );
  });

  it.each([
    [null, "it has no list of streams"],
    [{ streams: [null] }, "stream 1 has no name"],
    [{ streams: [{ stream: { name: "a" } }] }, 'stream "a" has no sync_mode full_refresh or incremental'],
    [{ streams: [stream("a", "cdc")] }, 'stream "a" has no sync_mode full_refresh or incremental'],
    [{ streams: [stream("a"), stream("a")] }, 'stream "a" is in it twice'],
  ])("is refused with just what is wrong with it: %.60j", (given, reason) => {
    expect(() => parseConfiguredCatalog(given)).toThrow(
      `The configured catalog (--catalog) cannot be used: ${reason}. Make one from the output of discover, with { "stream": …, "sync_mode": "incremental" } for each stream to read.`,
    );
  });
});
