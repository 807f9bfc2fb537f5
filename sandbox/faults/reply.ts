/** What a fault does instead of, or to, the true answer. All of it is plain data and survives JSON. */
export type FaultReply = ContentFault | WireFault;

/** Faults that are whole answers: in process and over a socket they are the same. */
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
 * Faults of the connection. In process `handle` rejects with `ConnectionFaultError` instead, as a transport does
 * that got no whole answer; one that only a time limit would end, after `heldMs` of the given clock.
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
  /** Seconds as a number, anything as a text, or a date so far from now. */
  readonly retryAfter?: number | string | { readonly dateInMs: number };
  readonly contentType?: string;
  /** Default: an error body in the service's chosen form. */
  readonly body?: string;
}

/** Status 302 unless given. `{path}` in `to` stands for path and query of the request. */
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

/** Fields of the envelope taken away or given other values, by dotted path, such as `pagination_data.has_more`. */
export interface EnvelopeFault {
  readonly kind: "envelope";
  readonly drop?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
}

/**
 * `has_more` is true and `next_url` is this. In `to`, `{link}` stands for the true link or, on a last page,
 * for the request itself, `{self}` for the request itself, `{path}` for its path without the query; all three begin
 * with a slash. So `{self}` does not advance and `{path}` goes back to the beginning. `{query}` stands for the
 * query of the true link with its question mark, `{other_survey}` for the id of another survey, and `{key}` for
 * the API key that was sent.
 */
export interface LinkFault {
  readonly kind: "link";
  readonly to: string;
}

/** Some items changed: responses (without their wrapping) or attribute records. */
export interface ItemsFault {
  readonly kind: "items";
  /** By place, or by `collected_at` in a closed interval. Default: the first. */
  readonly which?: "first" | "last" | "every" | number | { readonly from: string; readonly to: string };
  readonly drop?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
  /** Lists, by dotted path, that get one more element at their end. */
  readonly append?: Readonly<Record<string, unknown>>;
  /** Fields, by dotted path, that get this JSON text as it is, such as `1e400`. */
  readonly raw?: Readonly<Record<string, string>>;
  /** Fields, by dotted path, that get an object with this many levels. */
  readonly nest?: Readonly<Record<string, number>>;
  /** `collected_at` becomes this far ahead of the service's clock. */
  readonly aheadMs?: number;
  /** Fields, by dotted path, that get so many characters. */
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

/** The true body behind a text, such as a byte order mark. */
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

/** The connection is torn down. */
export interface ResetFault {
  readonly kind: "reset";
  readonly when: "before_headers" | "in_headers" | "after_headers" | "in_body";
}

/**
 * The body stops in the middle. Announced by its length or by chunks, a reader notices. With `nothing` it ends
 * with the connection, and a reader gets a whole answer that is not whole JSON: `handle` resolves with it.
 */
export interface CutFault {
  readonly kind: "cut";
  readonly announcedBy: "length" | "chunks" | "nothing";
}

/** Taken, and never answered. */
export interface SilenceFault {
  readonly kind: "silence";
  readonly heldMs?: number;
}

/** Status 200 and blanks without end. */
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

/** The true answer in so many bytes of blanks; default 70 million. */
export interface HugeFault {
  readonly kind: "huge";
  readonly bytes?: number;
}

/** The true answer in an encoding that nobody asked for. `handle` resolves with noise. */
export interface EncodedFault {
  readonly kind: "encoded";
  readonly encoding: "br" | "deflate" | "zstd";
}

const wireKinds: readonly string[] = ["reset", "cut", "silence", "endless", "drip", "huge", "encoded"];

/** Whether a fault is one of the connection. */
export const isWireFault = (reply: FaultReply): reply is WireFault => wireKinds.includes(reply.kind);

/** What `handle` rejects with where a client over a socket gets no whole answer. */
export class ConnectionFaultError extends Error {
  readonly fault: WireFault;

  constructor(fault: WireFault) {
    super(`No whole answer came: ${fault.kind}.`);
    this.name = "NoWholeAnswer";
    this.fault = fault;
  }
}
