import type { Clock } from "../clock.ts";
import type { ServiceReply } from "../http/exchange.ts";
import { ConnectionFaultError, type WireFault } from "./reply.ts";

const defaultHeldMs = 30_000;
/** Compressed bytes as a client has them that takes them for text. */
const noise = "\u001b\ufffd\u0000\ufffd\u0004\ufffd=\u0010\ufffd\ufffdR\u0001\ufffd";

/**
 * What a fault of the connection is to somebody without one: a rejection, as from a transport that checks
 * lengths, limits sizes and gives up on time. Only a body that ends early with nothing to tell it, and one in a strange encoding, resolve.
 */
export async function inProcess(
  reply: ServiceReply,
  fault: WireFault,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ServiceReply> {
  if (fault.kind === "cut" && fault.announcedBy === "nothing")
    return { ...reply, body: firstHalf(reply.body) };
  if (fault.kind === "encoded") {
    return { ...reply, headers: { ...reply.headers, "content-encoding": fault.encoding }, body: noise };
  }
  if (fault.kind === "silence" || fault.kind === "endless" || fault.kind === "drip") {
    await clock.sleep(fault.heldMs ?? defaultHeldMs, signal);
  }
  throw new ConnectionFaultError(fault);
}

/** The part of a body that a cut leaves. */
export const firstHalf = (body: string): string => body.slice(0, Math.floor(body.length / 2));
