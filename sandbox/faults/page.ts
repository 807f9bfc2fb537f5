import type { ServiceReply } from "../http/request-and-reply.ts";
import type { JsonObject } from "./field-path.ts";

/** A list's page with its JSON changed; any other answer stays as it is. */
export function reworked(reply: ServiceReply, rework: (page: JsonObject) => void): ServiceReply {
  if (reply.status !== 200) return reply;
  const page = JSON.parse(reply.body) as JsonObject;
  if (!Array.isArray(page.data)) return reply;
  rework(page);
  return { ...reply, body: JSON.stringify(page) };
}
