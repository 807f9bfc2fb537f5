import {
  type Coverage,
  cover,
  type Gap,
  gapsIn,
  isStrictlyInside,
  NOTHING,
  newestOf,
  reopenNewest,
  type Span,
} from "./coverage.ts";
import { earlier, later, type Moment } from "./moment.ts";
import type { Delivered, StreamState } from "./stream-state.ts";

export interface DeliveryOptions {
  readonly delivered: Delivered;
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  readonly startDate: Moment | undefined;
  readonly endDate: Moment | undefined;
  readonly lookbackMs: number;
  /** For a stream that reads people's lists down to the start date: coverage made under a later one is void. */
  readonly dependsOnStartDate: boolean;
}

/**
 * What one stream has delivered: as it stood when the sync began, after lookback, and as it grows. What the
 * lookback re-opens is out of every state until it has been walked again (I5).
 */
export interface Delivery {
  /** What this stream still wants of a survey, fixed when the sync began. */
  gapsOfSurvey(id: string): readonly Gap[];
  gapsOfRespondent(uuid: string): readonly Gap[];
  /** Whether a response of a configured survey had been delivered, with its responder, before this sync (I3). */
  wasDelivered(surveyId: string, moment: Moment): boolean;
  /** `newestSeen`: of that survey, in this sync. Nothing above the newest response seen is ever covered (I2). */
  coverSurvey(id: string, span: Span, newestSeen: Moment | undefined): void;
  /** Of a person whom the configuration names; of others nothing is kept, so that state does not grow with people. */
  coverRespondent(uuid: string, span: Span, newestSeen: Moment | undefined): void;
  /** The state as of now; what it refers to never changes afterwards (I4). */
  state(): StreamState;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { delivered, surveyIds, respondentUuids, startDate, endDate, lookbackMs } = options;
  const upTo: Coverage = delivered.upTo === undefined ? NOTHING : [[null, delivered.upTo]];
  const wanted: Gap = { older: startDate ?? null, newer: endDate };
  const isVoid =
    options.dependsOnStartDate &&
    delivered.startDate !== undefined &&
    (startDate === undefined || startDate < delivered.startDate);

  /** Entries of lists that are not configured now pass through unchanged. */
  const surveys = new Map(isVoid ? [] : delivered.surveys);
  const respondents = new Map(delivered.respondents);
  const reopen = (coverages: Map<string, Coverage>, ids: readonly string[]) =>
    new Map(
      ids.map((id) => {
        const before = reopenNewest(coverages.get(id) ?? (isVoid ? NOTHING : upTo), lookbackMs);
        coverages.set(id, before);
        return [id, { before, gaps: gapsIn(wanted, before) }];
      }),
    );
  const surveysBefore = reopen(surveys, surveyIds);
  const respondentsBefore = reopen(respondents, options.dependsOnStartDate ? respondentUuids : []);

  let current: StreamState | undefined;
  const grow = (coverages: Map<string, Coverage>, id: string, span: Span, newestSeen: Moment | undefined) => {
    const coverage = coverages.get(id) ?? NOTHING;
    const before = newestOf(coverage);
    const limit =
      before === undefined || newestSeen === undefined ? (before ?? newestSeen) : later(before, newestSeen);
    if (limit === undefined) return;
    const newer = earlier(span[1], limit);
    if (span[0] !== null && span[0] > newer) return;
    coverages.set(id, cover(coverage, [span[0], newer]));
    current = undefined;
  };

  return {
    gapsOfSurvey: (id) => surveysBefore.get(id)?.gaps ?? [],
    gapsOfRespondent: (uuid) => respondentsBefore.get(uuid)?.gaps ?? [],
    wasDelivered: (surveyId, moment) =>
      isStrictlyInside(surveysBefore.get(surveyId)?.before ?? NOTHING, moment),
    coverSurvey: (id, span, newestSeen) => grow(surveys, id, span, newestSeen),
    coverRespondent(uuid, span, newestSeen) {
      if (respondentsBefore.has(uuid)) grow(respondents, uuid, span, newestSeen);
    },
    state() {
      current ??= {
        version: 1,
        surveys: entriesOf(surveys),
        ...(options.dependsOnStartDate && respondents.size > 0 && { respondents: entriesOf(respondents) }),
        ...(options.dependsOnStartDate && startDate !== undefined && { start_date: startDate }),
      };
      return current;
    },
  };
}

const entriesOf = (coverages: Map<string, Coverage>): Record<string, Coverage> =>
  Object.fromEntries([...coverages].filter(([, coverage]) => coverage.length > 0));
