import { configuredCatalog } from "../connector/airbyte/catalog.ts";

/** `examples/catalog.json`: what the command `catalog` prints, without the schemas, so that people can edit it. */
export function exampleCatalog() {
  const { streams } = configuredCatalog();
  return {
    streams: streams.map((configured) => ({
      ...configured,
      stream: { ...configured.stream, json_schema: {} },
    })),
  };
}
