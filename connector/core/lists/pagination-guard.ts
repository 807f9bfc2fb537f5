/**
 * How to continue after a page. Used by every list of the service.
 * - `follow`: request this path next.
 * - `end`: the list has ended.
 * - `stuck`: the links lead in a circle, or nowhere for too long.
 */
export type NextStep =
  | { readonly kind: "follow"; readonly path: string }
  | { readonly kind: "end" | "stuck" };

/** A page, as far as pagination is concerned. */
export interface PageFacts {
  /** The path that was requested. */
  readonly path: string;
  /** Whether the list went on: down to an older item, or, if its items have no times, to a new one. */
  readonly moved: boolean;
  readonly next: string | undefined;
}

/** Pages in a row that may lead nowhere: items of one timestamp, which come one a page, or that cannot be read. */
const PAGES_WITHOUT_MOVE = 100;

/**
 * Decides after each page whether its link is followed (S3, S4, I7). Until the list goes on, each path is followed once, and
 * at most 100 pages come. Without this: a service that answers a link with new links for ever is asked for ever.
 */
export class PaginationGuard {
  /** Paths requested since the list went on last. */
  readonly #followed = new Set<string>();

  after({ path, moved, next }: PageFacts): NextStep {
    if (next === undefined) return { kind: "end" };
    if (moved) this.#followed.clear();
    this.#followed.add(path);
    const isStuck = this.#followed.size > PAGES_WITHOUT_MOVE || this.#followed.has(next);
    return isStuck ? { kind: "stuck" } : { kind: "follow", path: next };
  }
}
