import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { firstHalf } from "../faults/apply.ts";
import type { WireFault } from "../faults/kinds.ts";
import type { ServiceReply } from "../http/request.ts";

const GZIP_MIN_CHARACTERS = 1_024;

/** Bodies as bytes, so that an answer that comes from the page cache is encoded once. */
const PLAIN = new WeakMap<ServiceReply, Buffer>();
const ZIPPED = new WeakMap<ServiceReply, Buffer>();

/** Whether a client accepts compressed bodies. */
export const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));

/**
 * Sends a whole answer. Calls `beforeLast` just before the last byte leaves. Before that, the client cannot
 * have the answer; after that, it may already have sent its next request.
 */
export function send(
  reply: ServiceReply,
  outgoing: ServerResponse,
  mayZip: boolean,
  beforeLast: () => void,
): void {
  const isZipped = mayZip && reply.body.length >= GZIP_MIN_CHARACTERS;
  const kept = isZipped ? ZIPPED : PLAIN;
  const bytes = kept.get(reply) ?? (isZipped ? gzipSync(reply.body, { level: 1 }) : Buffer.from(reply.body));
  kept.set(reply, bytes);
  const encoding = isZipped ? { "content-encoding": "gzip" } : {};
  outgoing.writeHead(reply.status, { ...reply.headers, ...encoding, "content-length": bytes.length });
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

const HUGE_BYTES = 70_000_000;
const SPACES = Buffer.alloc(65_536, " ");

/** Sends an answer with a fault of the connection. Returns at once. */
export function sendBroken(reply: ServiceReply, fault: WireFault, outgoing: ServerResponse): void {
  if (fault.kind === "reset") outgoing.socket?.resetAndDestroy();
  if (fault.kind === "huge") {
    outgoing.writeHead(200, reply.headers);
    sendSpaces(outgoing, (fault.bytes ?? HUGE_BYTES) - Buffer.byteLength(reply.body), reply.body);
  }
  if (fault.kind !== "cut") return;
  const half = firstHalf(reply.body);
  if (fault.announcedBy === "length") {
    outgoing.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(reply.body) });
    outgoing.write(half, () => outgoing.socket?.end());
    return;
  }
  // By hand: Node would send the body in chunks, and an end without the last chunk is a sign.
  const headers = { ...outgoing.getHeaders(), ...reply.headers, connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  outgoing.socket?.end(`HTTP/1.1 ${reply.status} -\r\n${lines.join("")}\r\n${half}`);
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
