import { SurveyExportError } from "../errors.ts";
import { type Message, outside, say } from "../text/message.ts";
import { UUID_PATTERN } from "../text/uuid.ts";

/** An address with a host or credentials of its own. A backslash is a slash to some readers. */
const HAS_HOST = /^([\\/]{2}|[^/?]*[:@])/;

/** Whether a path could be read as another address if somebody parsed it alone (S2). */
export const isAbsolute = (path: string): boolean => HAS_HOST.test(path);

/**
 * Why `link` is not a page of the list at `listPath`, as an error; undefined if it is one. A continuation stays on
 * its list's own path: items of another list would come out under this list's id.
 */
export function leavesList(listPath: string, link: string): SurveyExportError | undefined {
  if (isAbsolute(link)) return refusedLink(link, say`is an absolute address`);
  return pathnameOf(link) === pathnameOf(listPath)
    ? undefined
    : refusedLink(link, say`leads to another list`);
}

/** `reason`: what the link does. */
export function refusedLink(link: string, reason: Message): SurveyExportError {
  const facts = say`The service sent a link to the next page that ${reason} (${outside(link, 120)}). The link was not followed, to protect the API key and the data.`;
  const advice = say`Check that base_url is the service's own address, and report this to the service.`;
  return new SurveyExportError("system", "refused_link", facts, { advice });
}

const UUID = new RegExp(UUID_PATTERN, "gi");

/** The path before the query, decoded and with UUIDs in lower case, so that two spellings of one path are equal. */
function pathnameOf(path: string): string {
  const [pathname = ""] = path.split("?", 1);
  const absolute = `/${pathname.replace(/^\/|\/$/g, "")}`;
  try {
    return decodeURIComponent(absolute).replace(UUID, (uuid) => uuid.toLowerCase());
  } catch {
    return absolute;
  }
}

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
    if (moved) this.#followed.clear();
    if (next === undefined) return { kind: "end" };
    this.#followed.add(path);
    const isStuck = this.#followed.size > PAGES_WITHOUT_MOVE || this.#followed.has(next);
    return isStuck ? { kind: "stuck" } : { kind: "follow", path: next };
  }
}
