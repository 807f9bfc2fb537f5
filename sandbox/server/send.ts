import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { firstHalf } from "../faults/apply.ts";
import type { WireFault } from "../faults/kinds.ts";
import type { ServiceReply } from "../http/reply.ts";

/** A body as bytes, compressed or not. */
interface Encoded {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const GZIP_MIN_CHARACTERS = 1_024;

/** Sends whole answers over sockets. An answer that comes from the page cache is encoded once. */
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
  send(
    reply: ServiceReply,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    beforeLast: () => void,
  ): void {
    const accepts = this.#gzip && /\bgzip\b/.test(String(incoming.headers["accept-encoding"] ?? ""));
    const { bytes, headers } = this.#encode(reply, accepts && reply.body.length >= GZIP_MIN_CHARACTERS);
    outgoing.writeHead(reply.status, { ...reply.headers, ...headers, "content-length": bytes.length });
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

  #encode(reply: ServiceReply, isZipped: boolean): Encoded {
    const kept = isZipped ? this.#zipped : this.#plain;
    const encoded = kept.get(reply) ?? {
      bytes: isZipped ? gzipSync(reply.body, { level: 1 }) : Buffer.from(reply.body),
      headers: isZipped ? { "content-encoding": "gzip" } : ({} as Record<string, string>),
    };
    kept.set(reply, encoded);
    return encoded;
  }
}

const HUGE_BYTES = 70_000_000;
const SPACES = Buffer.alloc(65_536, " ");

/** Sends an answer with a fault of the connection. Returns at once. */
export function sendBroken(reply: ServiceReply, fault: WireFault, outgoing: ServerResponse): void {
  switch (fault.kind) {
    case "reset":
      outgoing.socket?.resetAndDestroy();
      return;
    case "silence":
      return;
    case "huge": {
      const bytes = (fault.bytes ?? HUGE_BYTES) - Buffer.byteLength(reply.body);
      outgoing.writeHead(200, reply.headers);
      sendSpaces(outgoing, bytes, reply.body);
      return;
    }
    case "cut": {
      const half = firstHalf(reply.body);
      if (fault.announcedBy === "length") {
        outgoing.writeHead(reply.status, {
          ...reply.headers,
          "content-length": Buffer.byteLength(reply.body),
        });
        outgoing.write(half, () => outgoing.socket?.end());
        return;
      }
      // By hand: Node would send the body in chunks, and an end without the last chunk is a sign.
      const headers = { ...outgoing.getHeaders(), ...reply.headers, connection: "close" };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      outgoing.socket?.end(`HTTP/1.1 ${reply.status} -\r\n${lines.join("")}\r\n${half}`);
    }
  }
}

/** Sends this many spaces, as fast as the client reads them, then `last`. */
function sendSpaces(outgoing: ServerResponse, bytes: number, last: string): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !outgoing.destroyed) {
      const size = Math.min(left, SPACES.length);
      left -= size;
      if (!outgoing.write(SPACES.subarray(0, size))) {
        outgoing.once("drain", more);
        return;
      }
    }
    if (!outgoing.destroyed) outgoing.end(last);
  };
  more();
}
