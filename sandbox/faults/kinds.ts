/** How a fault replaces or changes the true answer. Plain data that survives JSON. */
export type FaultReply = ContentFault | WireFault;

/** Faults that leave a whole answer. They are the same in process and over a socket. */
export type ContentFault =
  | StatusFault
  | LinkFault
  | ItemsFault
  /** `{path}` in `to` stands for the path and query of the request. The default status is 302. */
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number }
  /** The true answer, later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Removes or sets fields of the envelope. */
  | ({ readonly kind: "envelope" } & FieldChanges)
  /** The page from the oldest item to the newest. */
  | { readonly kind: "reverse" }
  /** No items, `has_more` true, and a link as in `LinkFault`, by default to the request itself. */
  | { readonly kind: "empty_page"; readonly to?: string }
  /** The true answer with a `Date` header that is so far ahead. */
  | { readonly kind: "date_header"; readonly offsetMs: number };

/** Faults of the connection. In process, `handle` rejects instead, a silence after 30 seconds of the clock. */
export type WireFault =
  /** The server resets the connection before the answer. */
  | { readonly kind: "reset" }
  /** The body stops in the middle. With `nothing`, it ends with the connection, and no header tells its length. */
  | { readonly kind: "cut"; readonly announcedBy: "length" | "nothing" }
  /** The request is accepted and never answered. */
  | { readonly kind: "silence" }
  /** The true answer after this many bytes of spaces; default 70 million. */
  | { readonly kind: "huge"; readonly bytes?: number };

/** Some other status, with its header and body. In `body`, `{key}` stands for the API key that was sent. */
export interface StatusFault {
  readonly kind: "status";
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly contentType?: string;
  /** Default: an error body of the service's own. */
  readonly body?: string;
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

/** Fields to remove, and to set, by dotted path, such as `pagination_data.has_more`. */
export interface FieldChanges {
  readonly drop?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
}

/** Changes some items: responses (without their wrapping) or attribute records. */
export interface ItemsFault extends FieldChanges {
  readonly kind: "items";
  /** By place. Default: the first. */
  readonly which?: "every" | number;
  /** `collected_at` becomes this far ahead of the service's clock. */
  readonly aheadMs?: number;
}

/** Every kind, and whether it is a fault of the connection. */
const IS_WIRE: Readonly<Record<ContentFault["kind"], false> & Record<WireFault["kind"], true>> = {
  status: false,
  redirect: false,
  delay: false,
  envelope: false,
  link: false,
  items: false,
  reverse: false,
  empty_page: false,
  date_header: false,
  reset: true,
  cut: true,
  silence: true,
  huge: true,
};

/** Whether it is a fault of the connection. */
export const isWireFault = (reply: FaultReply): reply is WireFault => IS_WIRE[reply.kind];

/** Whether a value has a kind that there is: over HTTP, a fault is any JSON. */
export const hasKind = (reply: unknown): reply is FaultReply =>
  Object.hasOwn(IS_WIRE, String((reply as { kind?: unknown } | null)?.kind));
