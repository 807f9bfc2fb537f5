import {
  parseTimestamp,
  STREAMS,
  type StreamDefinition,
  type StreamName,
  type StreamRecord,
  type Timestamp,
} from "../../connector/core/index.ts";
import type { Origin } from "../../connector/core/streams/definition.ts";
import type { TrueItem, TrueResponse, Truth } from "../../sandbox/index.ts";

/** Streams whose keys the sandbox counts by itself, without a look at the connector. */
const COUNTED: Readonly<Record<string, (truth: Truth) => readonly (readonly unknown[])[]>> = {
  survey_responses: (truth) => responsesOf(truth).map(({ uuid }) => [uuid]),
  survey_answers: (truth) => truth.surveyIds().flatMap((id) => [...truth.answers(id)].flatMap(answerKeys)),
  respondent_responses: (truth) => responsesOf(truth).map(({ uuid }) => [uuid]),
  respondent_attributes: (truth) =>
    [...respondentsOf(responsesOf(truth))].flatMap((uuid) =>
      (truth.attributes(uuid) ?? []).map(({ id }) => [uuid, id]),
    ),
};

/** The streams that go on where the last sync ended. The others are snapshots, which each sync reads whole. */
export const RESUMABLE: readonly StreamName[] = Object.values(STREAMS).flatMap(({ name, isSnapshot }) =>
  isSnapshot ? [] : [name],
);

/** Whether the sandbox counts the stream's keys by itself. The keys of other streams come from their own definitions. */
export const isCounted = (stream: string): boolean => Object.hasOwn(COUNTED, stream);

/** The primary keys that each of these streams should hold now, as `keyOf` writes them. */
export function expectedKeys(truth: Truth): Map<string, Set<string>> {
  return new Map(
    RESUMABLE.map((name) => STREAMS[name]).map((stream) => [
      stream.name,
      new Set(
        COUNTED[stream.name]?.(truth).map((key) => JSON.stringify(key)) ?? keysByDefinition(stream, truth),
      ),
    ]),
  );
}

/**
 * The primary keys of the records that a stream's own definition makes of the data. `isRead` chooses responses; a stream
 * of attributes reads the people who gave them.
 */
export function keysByDefinition(
  stream: StreamDefinition,
  truth: Truth,
  isRead: (response: TrueResponse) => boolean = () => true,
): string[] {
  const read = responsesOf(truth).filter(isRead);
  if (stream.reads === "respondent attributes") {
    return [...respondentsOf(read)].flatMap((respondentUuid) =>
      (truth.attributes(respondentUuid) ?? []).flatMap((attribute) =>
        keysOfItem(stream, attribute, { respondentUuid }),
      ),
    );
  }
  const items = new Map(
    truth.surveyIds().flatMap((id) => [...truth.items(id)].map((item) => [item.response.uuid, item])),
  );
  return read.flatMap(({ uuid, survey_id: surveyId, respondent_uuid: respondentUuid }) =>
    keysOfItem(
      stream,
      items.get(uuid)!,
      stream.reads === "survey responses" ? { surveyId } : { respondentUuid },
    ),
  );
}

/** A response with its survey, or an attribute, as the service holds it. */
type ListItem = Pick<TrueItem, "survey"> & {
  readonly response: Pick<TrueItem["response"], "uuid" | "collected_at">;
};

/** The primary keys of the records that a stream's own definition makes of one item of its list: none, one or many. */
export function keysOfItem(
  stream: StreamDefinition,
  item: ListItem | { readonly id: number },
  from: { readonly surveyId: string } | { readonly respondentUuid: string },
): string[] {
  const records = stream.records as (item: unknown, origin: Origin) => readonly StreamRecord[];
  const read =
    "response" in item
      ? {
          ...{ ...item, raw: item, uuid: item.response.uuid },
          timestamp: parseTimestamp(item.response.collected_at),
        }
      : item;
  const unknown = { fields: new Set<string>(), answers: new Map<string, number>() };
  return records(read, { ...from, present: PRESENT, unknown }).map((record) =>
    keyOf(record, stream.primaryKey),
  );
}

/** When an attribute is read is in no key. */
const PRESENT = "2026-01-01T00:00:00.000000Z" as Timestamp;

/** A record's key, as `expectedKeys` writes it. */
export function keyOf(data: object, primaryKey: readonly string[]): string {
  return JSON.stringify(primaryKey.map((field) => (data as Readonly<Record<string, unknown>>)[field]));
}

const responsesOf = (truth: Truth): TrueResponse[] =>
  truth.surveyIds().flatMap((id) => [...truth.responses(id)]);
const respondentsOf = (responses: readonly TrueResponse[]): Set<string> =>
  new Set(responses.map(({ respondent_uuid }) => respondent_uuid));

interface Element {
  readonly question_id: number;
  readonly answers?: readonly unknown[];
  readonly fields?: readonly unknown[];
}

/** One row for each entry of an answered question, and one if it has no list or an empty one. */
function answerKeys({ uuid, answers }: { uuid: string; answers: readonly unknown[] }): unknown[][] {
  const positions = new Map<number, number>();
  return (answers as readonly Element[]).flatMap(({ question_id: id, answers: choices, fields }) =>
    Array.from({ length: Math.max(1, (choices ?? fields ?? []).length) }, () => {
      const position = (positions.get(id) ?? 0) + 1;
      positions.set(id, position);
      return [uuid, id, position];
    }),
  );
}
