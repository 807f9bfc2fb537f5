import type { Clock } from "../clock.ts";
import type { ServiceReply } from "../http/request-and-reply.ts";
import { ConnectionFaultError, type WireFault } from "./reply.ts";

const DEFAULT_HELD_MS = 30_000;
/** Compressed bytes that were decoded as UTF-8. */
const NOISE = "\u001b\ufffd\u0000\ufffd\u0004\ufffd=\u0010\ufffd\ufffdR\u0001\ufffd";

/**
 * A fault of the connection for a caller in process. It rejects, like a transport that checks lengths, limits
 * sizes and has a time limit. Two kinds resolve: a body that ends early without a sign of it, and a body in an
 * encoding that nobody asked for.
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
    return { ...reply, headers: { ...reply.headers, "content-encoding": fault.encoding }, body: NOISE };
  }
  if (fault.kind === "silence" || fault.kind === "endless" || fault.kind === "drip") {
    await clock.sleep(fault.heldMs ?? DEFAULT_HELD_MS, signal);
  }
  throw new ConnectionFaultError(fault);
}

/** The part of a body that arrives before a cut. */
export const firstHalf = (body: string): string => body.slice(0, Math.floor(body.length / 2));
