import type { Message } from "@survey-export/core";
import type { AirbyteWarningCode, MessageWriter } from "./message-writer.ts";

/** A sentence about something that works but is probably not what the user wants. */
export interface Warning {
  readonly code: AirbyteWarningCode;
  readonly message: Message;
}

export async function warn(writer: MessageWriter, warnings: readonly Warning[]): Promise<void> {
  for (const { code, message } of warnings) await writer.log("WARN", message, code);
}
