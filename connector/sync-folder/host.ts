import type { MessageWriter } from "../airbyte/message-writer.ts";
import type { FileOption } from "../node/input-file.ts";
import type { Stop } from "../node/stop.ts";

/** What a sync needs of the command line. */
export interface SyncHost {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: Stop;
  /** Writes a line to standard error. */
  readonly print: (line: string) => void;
  /** See `MessageWriter`. */
  readonly notify: ConstructorParameters<typeof MessageWriter>[2];
  /** The command `read`. @returns false when a stream failed */
  readonly read: (
    files: Readonly<Partial<Record<FileOption, string>>>,
    writer: MessageWriter,
    signal: AbortSignal,
  ) => Promise<boolean>;
}
