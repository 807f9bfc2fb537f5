import type { Gap } from "../coverage/coverage.ts";
import type { Seen } from "../coverage/list-coverage.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { ListedSurvey } from "../lists/item.ts";
import type { ListWalk, WalkedPage } from "../lists/list-walk.ts";

/** A page of a survey's list, as the streams see it. */
export interface SurveyPage extends WalkedPage {
  readonly surveyId: string;
  /** What the list of surveys says of it, if an item does not name it. */
  readonly survey?: ListedSurvey | undefined;
  /** On this page and on all that came before it. */
  readonly seen: Seen;
  /** Whether the survey was read to its end. */
  readonly isLast: boolean;
}

/** A gap, or a part of one: a list of its own, which one worker at a time reads. */
export interface Slice {
  readonly survey: SurveyInSync;
  readonly walk: ListWalk;
  /** A page of it is under way. */
  isUnderWay: boolean;
  /** It failed, or something newer did, so it waits for the second look. */
  isSetAside: boolean;
}

/** A survey of which something is read. */
export interface SurveyInSync {
  readonly id: string;
  /** Those that no slice reads yet, oldest first. */
  readonly gaps: Gap[];
  /** Something newer failed, so that the gaps wait for the second look. */
  areGapsSetAside: boolean;
  /** Those that have not ended, newest first. */
  slices: Slice[];
  /** Where some stream's coverage begins: no cut does, since touching would put a timestamp inside that was not read. */
  readonly edges: ReadonlySet<Timestamp>;
  /** How many pages have come, and how many responses they held. */
  pages: number;
  responses: number;
  /** It was taken up again, and no page of it has come since. */
  isTriedAgain: boolean;
  /** On all pages, also on those whose respondents are still being read. */
  seen: Seen | undefined;
  /** Names of unreadable items that were reported. */
  readonly unreadable: Set<string>;
}
