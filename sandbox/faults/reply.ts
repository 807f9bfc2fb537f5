/** How a fault replaces or changes the true answer. Plain data that survives JSON. */
export type FaultReply = ContentFault | WireFault;

/** Faults that leave a whole answer. They are the same in process and over a socket. */
export type ContentFault =
  | StatusFault
  | RedirectFault
  | DelayFault
  | EnvelopeFault
  | LinkFault
  | ItemsFault
  | ReverseFault
  | EmptyPageFault
  | TinyObjectsFault
  | PrefixFault
  | DateHeaderFault;

/**
 * Faults of the connection. In process, `handle` rejects with `ConnectionFaultError` instead. A fault that only a
 * time limit ends rejects after `heldMs` of the clock.
 */
export type WireFault =
  | ResetFault
  | CutFault
  | SilenceFault
  | EndlessFault
  | DripFault
  | HugeFault
  | EncodedFault;

/**
 * Some other status, with its header and body. In `body`, `{key}` stands for the API key that was sent,
 * `{key_escaped}` for the key as JSON escapes, `{key_percent}` for it percent-encoded, `{key_upper}` in upper case.
 */
export interface StatusFault {
  readonly kind: "status";
  readonly status: number;
  /** Seconds as a number, any string, or a date this far from now. */
  readonly retryAfter?: number | string | { readonly dateInMs: number };
  readonly contentType?: string;
  /** Default: an error body in the form of `choices.errorBody`. */
  readonly body?: string;
}

/** `{path}` in `to` stands for the path and query of the request. The default status is 302. */
export interface RedirectFault {
  readonly kind: "redirect";
  readonly to: string;
  readonly status?: number;
}

/** The true answer, later. */
export interface DelayFault {
  readonly kind: "delay";
  readonly ms: number;
}

/** Removes or sets fields of the envelope by dotted path, such as `pagination_data.has_more`. */
export interface EnvelopeFault {
  readonly kind: "envelope";
  readonly drop?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
}

/**
 * `has_more` is true and `next_url` is `to`. In `to` stand
 * - `{link}` for the true link, or on a last page for the request itself;
 * - `{self}` for the request itself, so the link does not advance;
 * - `{path}` for the request's path without its query, so the link goes back to the beginning;
 * - `{query}` for the query of the true link, with its question mark;
 * - `{other_survey}` for the id of another survey;
 * - `{key}` for the API key of the request.
 * The first three begin with a slash.
 */
export interface LinkFault {
  readonly kind: "link";
  readonly to: string;
  /** Leaves last pages as they are, so that a client that follows the links reaches the end. Default false. */
  readonly keepLastPage?: boolean;
}

/** Changes some items: responses (without their wrapping) or attribute records. */
export interface ItemsFault {
  readonly kind: "items";
  /** By place, or by `collected_at` in a closed interval. Default: the first. */
  readonly which?: "first" | "last" | "every" | number | { readonly from: string; readonly to: string };
  readonly drop?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
  /** Elements to append to lists, by dotted path. */
  readonly append?: Readonly<Record<string, unknown>>;
  /** Fields to set, by dotted path, to a piece of JSON as it is written, such as `1e400`. */
  readonly raw?: Readonly<Record<string, string>>;
  /** Fields to set, by dotted path, to an object with this many levels. */
  readonly nest?: Readonly<Record<string, number>>;
  /** `collected_at` becomes this far ahead of the service's clock. */
  readonly aheadMs?: number;
  /** Fields to set, by dotted path, to a string of this many characters. */
  readonly fill?: Readonly<Record<string, number>>;
  /** The whole item, wrapping included, becomes this. */
  readonly become?: unknown;
}

/** The page from the oldest item to the newest. */
export interface ReverseFault {
  readonly kind: "reverse";
}

/** No items, `has_more` true, and a link as in `LinkFault`, by default to the request itself. */
export interface EmptyPageFault {
  readonly kind: "empty_page";
  readonly to?: string;
}

/** A page of this many empty objects. They compress to almost nothing: 20 million are 60 MB. */
export interface TinyObjectsFault {
  readonly kind: "tiny_objects";
  readonly count: number;
}

/** The true body after a prefix, such as a byte order mark. */
export interface PrefixFault {
  readonly kind: "prefix";
  readonly text: string;
}

/** The true answer with another `Date` header: moved by an offset, another text, or none for null. */
export interface DateHeaderFault {
  readonly kind: "date_header";
  readonly offsetMs?: number;
  readonly value?: string | null;
}

/** The server resets the connection. */
export interface ResetFault {
  readonly kind: "reset";
  readonly when: "before_headers" | "in_headers" | "after_headers" | "in_body";
}

/**
 * The body stops in the middle. With a length or with chunks, a client notices. With `nothing`, the body ends
 * with the connection, and a client gets an answer that looks whole. In process, `handle` resolves with it.
 */
export interface CutFault {
  readonly kind: "cut";
  readonly announcedBy: "length" | "chunks" | "nothing";
}

/** The request is accepted and never answered. */
export interface SilenceFault {
  readonly kind: "silence";
  readonly heldMs?: number;
}

/** Status 200 and an endless body of spaces. */
export interface EndlessFault {
  readonly kind: "endless";
  readonly heldMs?: number;
}

/** The true answer, one byte at a time. */
export interface DripFault {
  readonly kind: "drip";
  /** Between two bytes; default 1000. */
  readonly everyMs?: number;
  readonly heldMs?: number;
}

/** The true answer after this many bytes of spaces; default 70 million. */
export interface HugeFault {
  readonly kind: "huge";
  readonly bytes?: number;
}

/** The true answer in an encoding that the client did not accept. In process, `handle` resolves with noise. */
export interface EncodedFault {
  readonly kind: "encoded";
  readonly encoding: "br" | "deflate" | "zstd";
}

/** Every kind, and whether it leaves a whole answer or is a fault of the connection. */
const KINDS: Readonly<Record<ContentFault["kind"], "content"> & Record<WireFault["kind"], "wire">> = {
  status: "content",
  redirect: "content",
  delay: "content",
  envelope: "content",
  link: "content",
  items: "content",
  reverse: "content",
  empty_page: "content",
  tiny_objects: "content",
  prefix: "content",
  date_header: "content",
  reset: "wire",
  cut: "wire",
  silence: "wire",
  endless: "wire",
  drip: "wire",
  huge: "wire",
  encoded: "wire",
};

/** Whether it is a fault of the connection. */
export const isWireFault = (reply: FaultReply): reply is WireFault => KINDS[reply.kind] === "wire";

/** Throws a sentence if it has no kind that there is: over HTTP, a fault is any JSON. */
export function assertKind(reply: unknown): asserts reply is FaultReply {
  const kind = (reply as { kind?: unknown } | null)?.kind;
  if (typeof kind === "string" && Object.hasOwn(KINDS, kind)) return;
  throw new Error(
    `The reply of a fault must be a name from the catalogue, or have a kind. Kinds are: ${Object.keys(KINDS).join(", ")}.`,
  );
}

/** `handle` rejects with this if a client over a socket would not get the whole answer. */
export class ConnectionFaultError extends Error {
  readonly fault: WireFault;

  constructor(fault: WireFault) {
    super(`The connection failed: ${fault.kind}.`);
    this.name = "NoWholeAnswer";
    this.fault = fault;
  }
}
