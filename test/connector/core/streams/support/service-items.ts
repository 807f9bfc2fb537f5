import type { Timestamp } from "../../../../../connector/core/coverage/timestamp.ts";
import type { Numbered } from "../../../../../connector/core/lists/item.ts";
import { isReadable, parseItemPage } from "../../../../../connector/core/lists/item.ts";
import { noOddAnswers } from "../../../../../connector/core/streams/answer-rows.ts";
import type { StreamRecord } from "../../../../../connector/core/streams/column.ts";
import type { Origin, StreamDefinition } from "../../../../../connector/core/streams/definition.ts";
import { surveyIn } from "../../../../../connector/core/sync/surveys/list-surveys.ts";

/** What the service sends for one response and for one attribute. */
export interface ServiceItem {
  readonly response: Readonly<Record<string, unknown>>;
  readonly survey: Readonly<Record<string, unknown>>;
  readonly question: Readonly<Record<string, unknown>>;
  readonly attribute: Readonly<Record<string, unknown>>;
  /** Whose list it is. */
  readonly listOf: unknown;
}

const PRESENT = "2026-02-01T00:00:00.000000Z" as Timestamp;

/** The records that a stream makes of an item, by the same way as in a sync. `unknownFields`: what it tells in addition. */
export function recordsOf(
  stream: StreamDefinition,
  { response, survey, question, attribute, listOf }: ServiceItem,
  unknownFields = new Set<string>(),
  ownerOfList: string | null = String(listOf),
): readonly StreamRecord[] {
  const origin: Origin = {
    ...(ownerOfList === null ? {} : { respondentUuid: ownerOfList }),
    surveyId: "s1",
    position: 1,
    present: PRESENT,
    began: PRESENT,
    unknown: { fields: unknownFields, answers: noOddAnswers() },
  };
  if (stream.reads === "key snapshots")
    return stream.records({ numberOfResponses: 3, older: null, newer: PRESENT }, origin);
  if (stream.reads === "respondent attributes") return stream.records(attribute as Numbered, origin);
  if (stream.reads === "surveys")
    return [surveyIn(survey)].flatMap((listed) => (listed ? stream.records(listed, origin) : []));
  if (stream.reads === "survey questions") return stream.records(question as Numbered, origin);
  const page = { pagination_data: { has_more: false }, data: [{ survey, response }] };
  const { items } = parseItemPage(JSON.stringify(page), undefined, PRESENT, true);
  return items.filter(isReadable).flatMap((item) => stream.records(item, origin));
}

const DEVICES = ["Desktop", "Mobile", "Tablet", "Tv"];

/**
 * Items whose every value that a respondent typed or chose, or that names them, is the marker: one for each device, and
 * answers of every kind in each. So is every field that nobody knows. Ratings and ranks are the marker, too. A
 * recommendation score from 0 to 10 may leave, and is not one.
 */
export const markedItems = (marker: unknown): ServiceItem[] =>
  DEVICES.map((device) => markedItem(marker, device));

function markedItem(marker: unknown, device: string): ServiceItem {
  const answered = (shape: object) => ({ question_id: 7, question_type: "single", note: marker, ...shape });
  const entry = { id: 4, content: marker, comment: marker, note: marker };
  const attributes = [{ id: 5, name: "plan", value: marker, note: marker }];
  return {
    survey: {
      id: "s1",
      name: "Visitors",
      type: "PageSurvey",
      enabled: true,
      responses: 4,
      note: marker,
      launch: { start_at: "2026-01-01T00:00:00+01:00", note: marker },
    },
    response: {
      uuid: "r1",
      collected_at: "2026-01-01T00:00:00.000001Z",
      url:
        typeof marker === "object"
          ? marker
          : `https://wilma:${marker}@shop.example/cart?a=${marker}#${marker}`,
      device_type: device,
      operating_system: "Windows",
      platform: marker,
      language: "en",
      answers: [
        answered({ answer: entry }),
        answered({ answers: [entry, entry] }),
        answered({ answer: { ...entry, rating: marker } }),
        answered({ fields: [{ type: "phone", content: marker, comment: marker, note: marker }] }),
        answered({ answer: marker }),
        answered({ answer: { ...entry, tag: "passive" } }),
        answered({ answers: [{ ...entry, score: marker }] }),
        answered({ answers: [{ ...entry, rank: marker }] }),
        answered({ action_performed: true }),
        answered({ action_performed: marker }),
        answered({ answer: [marker] }),
        answered({ answers: [marker] }),
        answered({ answers: marker }),
        answered({ fields: [marker] }),
        answered({ fields: { note: marker } }),
        answered({ answer: { note: marker } }),
        answered({}),
      ],
      attributes,
      respondent: { uuid: marker, attributes, note: marker },
      note: marker,
    },
    question: {
      id: 7,
      type: "single",
      question: "Why did you come?",
      columns: ["Good"],
      note: marker,
      answer_choices: [{ id: 4, content: marker, note: marker }],
      fields: [{ type: "email", label: "E-mail", note: marker }],
    },
    attribute: attributes[0]!,
    listOf: marker,
  };
}
