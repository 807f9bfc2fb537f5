/** How a fault replaces or changes the true answer. Plain data that survives JSON. */
export type FaultReply = ContentFault | WireFault;

/** A fault of one kind. */
export type FaultOf<Kind extends FaultReply["kind"]> = Extract<FaultReply, { kind: Kind }>;

/** Faults that leave a whole answer. They are the same in process and over a socket. */
export type ContentFault =
  | StatusFault
  | LinkFault
  | ItemsFault
  /** `{path}` in `to` stands for the path and query of the request. The default status is 302. */
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number }
  /** The true answer, later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Removes or sets fields of the envelope by dotted path, such as `pagination_data.has_more`. */
  | ({ readonly kind: "envelope" } & Pick<ItemsFault, "drop" | "set">)
  /** The page from the oldest item to the newest. */
  | { readonly kind: "reverse" }
  /** No items, `has_more` true, and a link as in `LinkFault`, by default to the request itself. */
  | { readonly kind: "empty_page"; readonly to?: string }
  /** A page of this many empty objects. They compress to almost nothing: 20 million are 60 MB. */
  | { readonly kind: "tiny_objects"; readonly count: number }
  /** The true body after a prefix, such as a byte order mark. */
  | { readonly kind: "prefix"; readonly text: string }
  /** The true answer with another `Date` header: moved by an offset, another text, or none for null. */
  | { readonly kind: "date_header"; readonly offsetMs?: number; readonly value?: string | null };

/**
 * Faults of the connection. In process, `handle` rejects with `ConnectionFaultError` instead. A fault that only a
 * time limit ends rejects after `heldMs` of the clock.
 */
export type WireFault =
  /** The server resets the connection. */
  | {
      readonly kind: "reset";
      readonly when: "before_headers" | "in_headers" | "after_headers" | "in_body";
    }
  /**
   * The body stops in the middle. With a length or with chunks, a client notices. With `nothing`, the body ends
   * with the connection, and a client gets an answer that looks whole. In process, `handle` resolves with it.
   */
  | { readonly kind: "cut"; readonly announcedBy: "length" | "chunks" | "nothing" }
  /** The request is accepted and never answered. */
  | { readonly kind: "silence"; readonly heldMs?: number }
  /** Status 200 and an endless body of spaces. */
  | { readonly kind: "endless"; readonly heldMs?: number }
  /** The true answer, one byte a second. */
  | { readonly kind: "drip"; readonly heldMs?: number }
  /** The true answer after this many bytes of spaces; default 70 million. */
  | { readonly kind: "huge"; readonly bytes?: number };

/**
 * Some other status, with its header and body. In `body`, `{key}` stands for the API key that was sent, `{key_upper}`
 * for the key in upper case.
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

/** Every kind, and whether it is a fault of the connection. */
const IS_WIRE: Readonly<Record<ContentFault["kind"], false> & Record<WireFault["kind"], true>> = {
  ...{ status: false, redirect: false, delay: false, envelope: false, link: false, items: false },
  ...{ reverse: false, empty_page: false, tiny_objects: false, prefix: false, date_header: false },
  ...{ reset: true, cut: true, silence: true, endless: true, drip: true, huge: true },
};

/** Whether it is a fault of the connection. */
export const isWireFault = (reply: FaultReply): reply is WireFault => IS_WIRE[reply.kind];

/** Throws a sentence if it has no kind that there is: over HTTP, a fault is any JSON. */
export function assertKind(reply: unknown): asserts reply is FaultReply {
  const kind = typeof reply === "object" && reply !== null && "kind" in reply ? reply.kind : undefined;
  if (typeof kind === "string" && Object.hasOwn(IS_WIRE, kind)) return;
  throw new Error(
    `The reply of a fault must be a name from the catalogue, or have a kind. Kinds are: ${Object.keys(IS_WIRE).join(", ")}.`,
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
