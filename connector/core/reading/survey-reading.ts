import { surveyResponsesPath } from "../api/endpoints.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Gap, Span } from "./coverage.ts";
import type { Item, ItemPage } from "./item.ts";
import { addMicroseconds, later, type Moment } from "./moment.ts";
import { type Cut, FIRST_CUT_PAGES, type Part } from "./split.ts";
import { createWalk, type Walk } from "./walk.ts";

/**
 * Reading one survey's list: the stretches that any stream still wants, each walked once, cut into parts where
 * slots are idle. Parts of a stretch stand newest first.
 */
export interface SurveyReading {
  readonly id: string;
  /** Parts that still have something to ask. */
  readonly parts: readonly SurveyPart[];
  /** The newest response seen in this sync. */
  readonly newestSeen: Moment | undefined;
  /** True until the first page of its newest stretch has come: until then its newest bound is not fixed (I6). */
  readonly boundOpen: boolean;
  receive(part: SurveyPart, page: ItemPage): SurveyPage;
  /** Splits `cut.part`; the new part reads what is older. */
  split(cut: Cut<SurveyPart>): SurveyPart;
  /** Gives the survey up: nothing more is asked, and what is still under way does not count. */
  stop(): void;
  /** Whether `part` still has something to ask: another part's answer may have ended it. */
  isOpen(part: SurveyPart): boolean;
}

export interface SurveyPart extends Part {
  readonly survey: SurveyReading;
}

export interface SurveyPage {
  readonly items: readonly Item[];
  /** What is covered now, by part: an answer can end the parts below it. */
  readonly claims: readonly { readonly part: SurveyPart; readonly spans: readonly Span[] }[];
  readonly problem: SurveyExportError | undefined;
  readonly warning: string | undefined;
}

export interface SurveyReadingOptions {
  readonly id: string;
  /** Disjoint, oldest first. */
  readonly gaps: readonly Gap[];
  /** Where some stream's coverage begins: no part may. */
  readonly edges: ReadonlySet<Moment>;
  readonly itemsPerPage: number;
  readonly attributes: readonly string[];
}

export function createSurveyReading(options: SurveyReadingOptions): SurveyReading {
  const { id, gaps, itemsPerPage, attributes } = options;
  let newestSeen: Moment | undefined;
  let stopped = false;

  const newPart = (gap: Gap, requestEnd: Moment | null, split?: Cut<SurveyPart>): SurveyPart => ({
    survey: reading,
    walk: createWalk({
      ...gap,
      requestEnd,
      top: split?.at,
      itemsPerPage,
      pathOf: (window) => surveyResponsesPath(id, window, attributes),
      list: `survey "${id}"`,
    }),
    isSplitOff: split !== undefined,
    edges: options.edges,
    cutPages: split ? split.part.cutPages * 2 : FIRST_CUT_PAGES,
  });

  /** A stretch, and its parts, newest first; the newest stretch stands first. */
  const stretches: { readonly end: Moment | null; readonly parts: SurveyPart[] }[] = [];
  const stretchOf = (part: SurveyPart) => stretches.find((stretch) => stretch.parts.includes(part))!;

  const reading: SurveyReading = {
    id,
    get parts() {
      return stopped
        ? []
        : stretches.flatMap(({ parts }) => parts.filter(({ walk }) => walk.path !== undefined));
    },
    get newestSeen() {
      return newestSeen;
    },
    get boundOpen() {
      return !stopped && newest !== undefined && newest.pages === 0 && newest.path !== undefined;
    },
    receive(part, page) {
      const progress = part.walk.receive(page);
      const top = progress.items[0]?.moment;
      if (top !== undefined) newestSeen = newestSeen === undefined ? top : later(newestSeen, top);
      const claims = [{ part, spans: progress.claims }];
      const { parts } = stretchOf(part);
      for (const lower of parts.slice(parts.indexOf(part) + 1)) {
        const empty =
          progress.endOfList || (progress.below !== undefined && lower.walk.isBelow(progress.below));
        if (empty) claims.push({ part: lower, spans: lower.walk.finishEmpty() });
      }
      return { items: progress.items, claims, problem: progress.problem, warning: progress.warning };
    },
    split(cut) {
      const stretch = stretchOf(cut.part);
      const newer = addMicroseconds(cut.at, -1);
      const lower = newPart({ older: cut.part.walk.older, newer }, stretch.end, cut);
      cut.part.walk.endAt(cut.at);
      cut.part.cutPages *= 2;
      stretch.parts.splice(stretch.parts.indexOf(cut.part) + 1, 0, lower);
      return lower;
    },
    stop() {
      stopped = true;
    },
    isOpen: (part) => !stopped && part.walk.path !== undefined,
  };
  for (const gap of gaps.toReversed()) {
    stretches.push({ end: gap.older, parts: [newPart(gap, gap.older)] });
  }
  const newest: Walk | undefined = stretches[0]?.parts[0]?.walk;
  return reading;
}
