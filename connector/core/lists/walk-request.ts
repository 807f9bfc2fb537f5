import { addMicroseconds, grainOf, type Timestamp } from "../coverage/timestamp.ts";
import type { Window } from "./endpoints.ts";
import { type ItemPage, isReadable } from "./item.ts";

/** What a walk asks for by itself, without a link. */
export interface OwnRequest {
  /** The newest timestamp that it asks for; undefined = up to the newest item. */
  readonly newer: Timestamp | undefined;
  /** Items a page. */
  readonly size: number;
  /** Whether it begins at `newer`, without a margin, since the links do not get past what lies in that. */
  readonly isExact: boolean;
}

/** The request of a walk that is under way: by a link, or of our own. */
export interface WalkRequest {
  readonly path: string;
  readonly isLink: boolean;
  /** The request of our own that it is, or from which links have led to it. */
  readonly asked: OwnRequest;
  /** Newer edge of what it asks for: no page may begin above it. */
  readonly newest: Timestamp | undefined;
}

/** A service may read the bounds of a request to milliseconds: each request asks for one more on both sides. */
const MARGIN_MICROSECONDS = 1000;

/**
 * Whether a walk may ask for `next` after `before`: each walk ends, since this order has an end (I7). It asks for
 * a lower timestamp; or for the same one with a larger page, or for that without a margin.
 */
export function isProgress(next: OwnRequest, before: OwnRequest): boolean {
  if (next.newer !== before.newer)
    return before.newer === undefined || (next.newer !== undefined && next.newer < before.newer);
  if (next.size !== before.size) return next.size > before.size;
  return next.isExact && !before.isExact;
}

/**
 * A request of our own. A service that shows rounded timestamps may filter by finer ones (S7), so `start` is above the latest
 * timestamp that it could show as `newer`, and `end` is below the earliest one that it could show as `older`, the older
 * bound (`null` for none).
 */
export function ownRequest(
  asked: OwnRequest,
  older: Timestamp | null,
  pathOf: (window: Window) => string,
): WalkRequest {
  const { newer, size, isExact } = asked;
  const end =
    older === null ? undefined : addMicroseconds(older, -Math.max(MARGIN_MICROSECONDS, grainOf(older)));
  const start = newer && addMicroseconds(newer, grainOf(newer) - 1 + (isExact ? 0 : MARGIN_MICROSECONDS));
  const newest = start && addMicroseconds(start, MARGIN_MICROSECONDS);
  return { path: pathOf({ start, end, itemsPerPage: size }), isLink: false, asked, newest };
}

/** The request of `link`, which `page` holds: the answer to `request`. */
export function linkRequest(link: string, request: WalkRequest, page: ItemPage): WalkRequest {
  const newest = page.items.findLast(isReadable)?.timestamp ?? request.newest;
  return { path: link, isLink: true, asked: request.asked, newest };
}
