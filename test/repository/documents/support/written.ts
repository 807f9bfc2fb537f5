import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Service } from "../../../../sandbox/index.ts";

/** The primary keys of the records of two streams that the runs so far wrote to `messages/`, run by run. */
export function written(folder: string): string[][] {
  const messages = join(folder, "messages");
  return readdirSync(messages)
    .toSorted()
    .map((name) =>
      readFileSync(join(messages, name), "utf8")
        .split("\n")
        .flatMap((line) => {
          if (!line.startsWith('{"type":"RECORD"')) return [];
          const { stream, data } = JSON.parse(line).record;
          if (stream === "survey_responses") return [data.uuid];
          return stream === "respondent_attributes" ? [`${data.respondent_uuid} ${data.id}`] : [];
        }),
    );
}

/** The keys that the streams `survey_responses` and `respondent_attributes` must have brought by now. */
export function truthOf({ truth }: Service): string[] {
  const ids = truth.surveyIds();
  const respondents = new Set(ids.flatMap((id) => [...truth.respondents(id)]));
  return [
    ...ids.flatMap((id) => [...truth.responses(id)].map(({ uuid }) => uuid)),
    ...[...respondents].flatMap((uuid) => (truth.attributes(uuid) ?? []).map(({ id }) => `${uuid} ${id}`)),
  ].toSorted();
}

export const distinct = (keys: readonly string[][]): string[] => [...new Set(keys.flat())].toSorted();
