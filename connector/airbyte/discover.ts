import { catalogStreams, configuredCatalog } from "./catalog.ts";
import { requireConfiguration } from "./configuration.ts";
import type { MessageWriter, Output } from "./message-writer.ts";

/**
 * Writes the catalog of the streams. They are the same for every account, so the service is not asked.
 *
 * @throws SurveyExportError for a configuration that `read` could not use either
 */
export async function discover(writer: MessageWriter, configuration: unknown): Promise<void> {
  requireConfiguration(configuration);
  await writer.write({ type: "CATALOG", catalog: { streams: catalogStreams() } });
}

/**
 * Prints the configured catalog that reads every stream with a cursor: one JSON document for people, and no message.
 *
 * @throws SurveyExportError as `discover`
 */
export async function printCatalog(output: Output, configuration: unknown): Promise<void> {
  requireConfiguration(configuration);
  await output.write(`${JSON.stringify(configuredCatalog(), undefined, 2)}\n`);
}
