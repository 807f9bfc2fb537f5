import {
  type Handling,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
} from "../../../../../connector/core/privacy/personal-data.ts";
import { createRecordTreatment } from "../../../../../connector/core/privacy/record-treatment.ts";
import { STREAMS } from "../../../../../connector/core/streams/index.ts";

/** Stands in for the keyed hash: a different text for each text, with nothing of it inside. */
const HASHES = new Map<string, string>();
export const hash = (text: string): string => {
  const known = HASHES.get(text) ?? `h${HASHES.size}`;
  HASHES.set(text, known);
  return known;
};
/** The same for every kind. */
export const all = (handling: Handling): PersonalDataSetting =>
  Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, handling]));
/** A record of a stream, treated. */
export const treat = (setting: PersonalDataSetting, stream: keyof typeof STREAMS, record: object) =>
  createRecordTreatment(setting, hash).record<Record<string, unknown>>(
    { ...record },
    STREAMS[stream].columns,
  );
