import { execFile } from "node:child_process";

/** A stream as an Airbyte source describes it. */
export interface DiscoveredStream {
  readonly name: string;
  readonly supported_sync_modes?: readonly string[];
  readonly default_cursor_field?: readonly string[];
  readonly source_defined_primary_key?: readonly (readonly string[])[];
}

/** The streams that the source at `program` prints for `discover`, or a sentence that says why there are none. */
export function discover(program: string, config: string): Promise<readonly DiscoveredStream[] | string> {
  const args = [program, "discover", "--config", config];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      const streams = stdout.split("\n").flatMap(streamsOf);
      if (error === null && streams.length > 0) resolve(streams);
      else resolve(`The source at ${program} did not say which streams it has. Run npm run build first.`);
    });
  });
}

function streamsOf(line: string): DiscoveredStream[] {
  try {
    const message = JSON.parse(line);
    return message.type === "CATALOG" ? message.catalog.streams : [];
  } catch {
    return [];
  }
}
