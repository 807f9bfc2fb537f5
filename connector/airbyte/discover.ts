import { catalogStreams } from "./catalog.ts";
import { parseConfiguration } from "./configuration.ts";
import { messageLine } from "./messages.ts";
import type { Output } from "./output.ts";

/**
 * Writes the catalog of the streams. They are the same for every account, so the service is not asked.
 *
 * @throws SurveyExportError for a configuration that `read` could not use either
 */
export async function discover(output: Output, configuration: unknown): Promise<void> {
  parseConfiguration(configuration);
  await output.write(messageLine({ type: "CATALOG", catalog: { streams: catalogStreams() } }));
}
