import { catalogStreams } from "./catalog.ts";
import { requireConfiguration } from "./configuration.ts";
import type { MessageWriter } from "./message-writer.ts";

/**
 * Writes the catalog of the streams. They are the same for every account, so the service is not asked.
 *
 * @throws SurveyExportError for a configuration that `read` could not use either
 */
export async function discover(writer: MessageWriter, configuration: unknown): Promise<void> {
  requireConfiguration(configuration);
  await writer.write({ type: "CATALOG", catalog: { streams: catalogStreams() } });
}
