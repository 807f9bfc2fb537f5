import { catalogStreams } from "./catalog.ts";
import { parseConfiguration } from "./configuration.ts";
import { messageLine } from "./messages.ts";
import type { Output } from "./output.ts";

/**
 * Tells the streams. They are the same for every account, so nothing is asked of the service.
 *
 * @throws SurveyExportError for a configuration that `read` could not use either
 */
export async function discover(output: Output, configuration: unknown): Promise<void> {
  parseConfiguration(configuration);
  await output.write(messageLine({ type: "CATALOG", catalog: { streams: catalogStreams() } }));
}
