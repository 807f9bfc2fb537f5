import type { Clock } from "@survey-export/core";
import { MessageWriter } from "../../../../connector/airbyte/message-writer.ts";

/** A writer whose lines a test reads back. */
export class Written {
  readonly writer: MessageWriter;
  text = "";

  constructor(clock: Pick<Clock, "now"> = { now: () => 1_700_000_000_000 }) {
    const write = async (lines: string | Uint8Array): Promise<void> => {
      this.text += typeof lines === "string" ? lines : new TextDecoder().decode(lines);
    };
    this.writer = new MessageWriter({ write }, clock);
  }

  /** The messages so far, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: messages of all kinds
  get messages(): any[] {
    const lines = this.text.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  }

  /** The messages of a type that were written since the last call. */
  take(type: string) {
    const taken = this.messages.filter((message) => message.type === type);
    this.text = "";
    return taken;
  }
}
