import type { RespondentReading } from "../streams/stream.ts";
import type { Span } from "./coverage.ts";
import { createRespondentSet, respondentKey } from "./respondent-set.ts";

/** A stretch of a survey whose responders must all be read before it counts as covered. */
export interface PendingClaim {
  readonly surveyId: string;
  readonly span: Span;
  unread: number;
}

/** A respondent on the way to being read for one stream. */
export interface Errand {
  readonly uuid: string;
  /** `collected_at` of the response that led here; null while only the configuration names the person. */
  collectedAt: string | null;
  /** The list, once it has been opened. */
  reading: RespondentReading | undefined;
  /** When the service first said that the respondent does not exist. */
  missingSinceMs: number | undefined;
  /** Whether something on any of its pages could not be read. */
  flawed: boolean;
  readonly claims: PendingClaim[];
}

/**
 * The respondents of one stream in one sync: each is read once, and a stretch is covered when the last of its
 * responders has been delivered (I6). Holds only those who still wait; of the others it keeps the id.
 */
export interface RespondentQueue {
  /** The respondents among `uuids` whose read is not yet delivered; those never met before are queued. */
  discover(found: ReadonlyMap<string, string>): Set<string>;
  /** Queues a person named in the configuration. */
  add(uuid: string): void;
  /** Makes `claim` wait for `uuids`; true when there is nobody to wait for. */
  await(uuids: Iterable<string>, claim: Omit<PendingClaim, "unread">): boolean;
  readonly waiting: number;
  next(): Errand | undefined;
  /** The respondent has been delivered (or is gone for good): returns the claims that are now complete. */
  done(errand: Errand): PendingClaim[];
  /** The respondent could not be read: what waits for them stays uncovered. */
  failed(errand: Errand): void;
}

export function createRespondentQueue(): RespondentQueue {
  const delivered = createRespondentSet();
  const unread = new Map<string, Errand>();
  let queued: Errand[] = [];
  let taken = 0;

  const queue = (uuid: string, collectedAt: string | null): void => {
    const errand: Errand = {
      uuid,
      collectedAt,
      reading: undefined,
      missingSinceMs: undefined,
      flawed: false,
      claims: [],
    };
    unread.set(respondentKey(uuid), errand);
    queued.push(errand);
  };

  return {
    discover(found) {
      const waiting = new Set<string>();
      for (const [uuid, collectedAt] of found) {
        const key = respondentKey(uuid);
        if (delivered.has(key)) continue;
        waiting.add(uuid);
        const errand = unread.get(key);
        if (errand === undefined) queue(uuid, collectedAt);
        else if (errand.reading === undefined) errand.collectedAt ??= collectedAt;
      }
      return waiting;
    },
    add(uuid) {
      if (!unread.has(respondentKey(uuid))) queue(uuid, null);
    },
    await(uuids, { surveyId, span }) {
      const claim: PendingClaim = { surveyId, span, unread: 0 };
      for (const uuid of uuids) {
        const key = respondentKey(uuid);
        if (delivered.has(key)) continue;
        claim.unread++;
        unread.get(key)?.claims.push(claim);
      }
      return claim.unread === 0;
    },
    get waiting() {
      return queued.length - taken;
    },
    next() {
      const errand = queued[taken];
      if (errand === undefined) return undefined;
      if (++taken > 1024) {
        queued = queued.slice(taken);
        taken = 0;
      }
      return errand;
    },
    done(errand) {
      const key = respondentKey(errand.uuid);
      delivered.add(key);
      unread.delete(key);
      return errand.claims.filter((claim) => --claim.unread === 0);
    },
    failed(errand) {
      errand.claims.length = 0;
    },
  };
}
