import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { firstHalf } from "../faults/apply.ts";
import type { FaultOf, WireFault } from "../faults/kinds.ts";
import type { ServiceReply } from "../http/reply.ts";

const HUGE_BYTES = 70_000_000;
const BLANKS = Buffer.alloc(65_536, " ");

/** Sends an answer with a fault of the connection. Returns at once. */
export function sendBroken(reply: ServiceReply, fault: WireFault, outgoing: ServerResponse): void {
  const socket = outgoing.socket;
  if (socket === null) return;
  if (fault.kind === "reset") reset(reply, fault.when, outgoing, socket);
  else if (fault.kind === "cut") cut(reply, fault.announcedBy, outgoing, socket);
  else if (fault.kind === "drip") void drip(reply, outgoing);
  else if (fault.kind !== "silence") {
    const bytes = fault.kind === "huge" ? (fault.bytes ?? HUGE_BYTES) : Infinity;
    outgoing.writeHead(200, reply.headers);
    pump(outgoing, bytes - Buffer.byteLength(reply.body), reply.body);
  }
}

/** A reset discards bytes that the client has not read yet, so the bytes that must arrive get this time. */
const ARRIVAL_MS = 20;

function reset(
  reply: ServiceReply,
  when: FaultOf<"reset">["when"],
  outgoing: ServerResponse,
  socket: Socket,
): void {
  if (when === "before_headers") {
    socket.resetAndDestroy();
    return;
  }
  const tearDown = () => setTimeout(() => socket.resetAndDestroy(), ARRIVAL_MS);
  if (when === "in_headers") {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: applica", tearDown);
    return;
  }
  const bytes = Buffer.from(reply.body);
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": bytes.length });
  if (when === "after_headers") {
    outgoing.flushHeaders();
    tearDown();
    return;
  }
  outgoing.write(bytes.subarray(0, bytes.length >>> 1), tearDown);
}

function cut(
  reply: ServiceReply,
  by: FaultOf<"cut">["announcedBy"],
  outgoing: ServerResponse,
  socket: Socket,
): void {
  const half = Buffer.from(firstHalf(reply.body));
  if (by === "length") outgoing.setHeader("content-length", Buffer.byteLength(reply.body));
  if (by === "nothing") {
    sendByHand({ ...reply, body: half.toString() }, outgoing);
    return;
  }
  outgoing.writeHead(reply.status, reply.headers);
  outgoing.write(half, () => socket.end());
}

/** Sends an answer that Node refuses to send: a status below 100, or a body that ends with the connection. */
export function sendByHand(reply: ServiceReply, outgoing: ServerResponse): void {
  const headers = { ...outgoing.getHeaders(), ...reply.headers, connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = String(reply.status).padStart(3, "0");
  outgoing.socket?.end(`HTTP/1.1 ${status} -\r\n${lines.join("")}\r\n${reply.body}`);
}

/** Sends this many spaces, as fast as the client reads them, then `last`. */
function pump(outgoing: ServerResponse, bytes: number, last: string): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !outgoing.destroyed) {
      const size = Math.min(left, BLANKS.length);
      left -= size;
      if (!outgoing.write(BLANKS.subarray(0, size))) {
        outgoing.once("drain", more);
        return;
      }
    }
    if (!outgoing.destroyed) outgoing.end(last);
  };
  more();
}

async function drip(reply: ServiceReply, outgoing: ServerResponse): Promise<void> {
  const bytes = Buffer.from(reply.body);
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": bytes.length });
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += 1) {
    outgoing.write(bytes.subarray(at, at + 1));
    await wait(1_000, undefined, { ref: false });
  }
  if (!outgoing.destroyed) outgoing.end();
}
