import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { WireFault } from "../faults/kinds.ts";
import type { ServiceReply } from "../http/reply.ts";
import { sendBroken, sendByHand } from "./connection-faults.ts";

/** A body as bytes, compressed or not. */
interface Encoded {
  readonly bytes: Buffer;
  readonly encoding: "gzip" | undefined;
}

const GZIP_MIN_CHARACTERS = 1_024;

/** Sends answers over sockets. An answer that comes from the page cache is encoded once. */
export class Sender {
  readonly #gzip: boolean;
  readonly #plain = new WeakMap<ServiceReply, Encoded>();
  readonly #zipped = new WeakMap<ServiceReply, Encoded>();

  constructor(gzip: boolean) {
    this.#gzip = gzip;
  }

  /**
   * Sends a whole answer. Calls `beforeLast` just before the last byte leaves. Before that, the client cannot
   * have the answer; after that, it may already have sent its next request.
   */
  whole(
    reply: ServiceReply,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    beforeLast: () => void,
  ): void {
    const accepts = this.#gzip && /\bgzip\b/.test(String(incoming.headers["accept-encoding"] ?? ""));
    const { bytes, encoding } = this.#encode(reply, accepts && reply.body.length >= GZIP_MIN_CHARACTERS);
    if (reply.status < 100) {
      sendByHand(reply, outgoing);
      return;
    }
    outgoing.writeHead(reply.status, {
      ...reply.headers,
      ...(encoding && { "content-encoding": encoding }),
      "content-length": bytes.length,
    });
    if (bytes.length < 2) {
      beforeLast();
      outgoing.end(bytes);
      return;
    }
    outgoing.write(bytes.subarray(0, -1), () => {
      beforeLast();
      outgoing.end(bytes.subarray(-1));
    });
  }

  /** Sends an answer with a fault of the connection. */
  broken(reply: ServiceReply, fault: WireFault, outgoing: ServerResponse): void {
    sendBroken(reply, fault, outgoing);
  }

  #encode(reply: ServiceReply, zip: boolean): Encoded {
    const kept = zip ? this.#zipped : this.#plain;
    let encoded = kept.get(reply);
    if (encoded === undefined) {
      encoded = zip
        ? { bytes: gzipSync(reply.body, { level: 1 }), encoding: "gzip" }
        : { bytes: Buffer.from(reply.body), encoding: undefined };
      kept.set(reply, encoded);
    }
    return encoded;
  }
}
