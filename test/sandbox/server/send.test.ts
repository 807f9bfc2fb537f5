import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { Sender } from "../../../sandbox/server/send.ts";

describe("the last byte of an answer", () => {
  it("leaves only after the request has ceased to count as unanswered", () => {
    const steps: unknown[] = [];
    const outgoing = {
      writeHead: (status: number, headers: object) => steps.push([status, headers]),
      write: (bytes: Buffer, written: () => void) => {
        steps.push(bytes.toString());
        written();
      },
      end: (bytes: Buffer) => steps.push(bytes.toString()),
    };
    const reply = { status: 200, headers: {}, body: "body" };
    const incoming = { headers: {} } as IncomingMessage;
    const sender = new Sender(true);
    sender.whole(reply, incoming, outgoing as unknown as ServerResponse, () => steps.push("released"));
    expect(steps).toEqual([[200, { "content-length": 4 }], "bod", "released", "y"]);
  });
});
