import assert from "node:assert/strict";
import type { StreamRecord, SyncEvent } from "@survey-export/core";
import type { ListService } from "../../support/list-service.ts";

/** Holds what one sync says of the surveys themselves, in any stream, against the service. */
export class FactsCheck {
  readonly #service: ListService;
  readonly #surveys: ReadonlySet<string>;
  readonly #isNamed: (survey: string) => boolean;
  readonly #records: Record<string, StreamRecord[]> = { surveys: [], survey_questions: [] };

  /** `surveys`: those that the sync is to read. `isNamed`: whether the responses must have the name. */
  constructor(service: ListService, surveys: ReadonlySet<string>, isNamed: (survey: string) => boolean) {
    this.#service = service;
    this.#surveys = surveys;
    this.#isNamed = isNamed;
  }

  take(event: SyncEvent): void {
    if (event.type !== "records") return;
    this.#records[event.stream]?.push(...event.records);
    for (const record of event.records) if ("survey_name" in record) this.#checkName(record);
  }

  /** The stream is complete: each survey that the sync reads is there as the service has it, unless `isOdd`. */
  end(stream: "surveys" | "survey_questions", isOdd: (survey: string) => boolean): void {
    const due = [...this.#surveys].filter((id) => !isOdd(id));
    const records = this.#records[stream]!;
    const times = new Set(records.map(({ collected_at }) => collected_at));
    assert.ok(stream !== "surveys" || times.size < 2, "surveys: one reading has one time");
    const idOf = (record: StreamRecord): string =>
      String(stream === "surveys" ? record.id : record.survey_id);
    for (const id of new Set([...due, ...records.map(idOf)])) {
      assert.ok(this.#surveys.has(id), `${stream}: ${id} is to be read`);
      if (isOdd(id)) continue;
      const own = records.filter((record) => idOf(record) === id);
      const all: readonly object[] =
        stream === "surveys"
          ? [withoutCount(this.#service.survey(id))]
          : this.#service
              .questions(id)
              .map((each, place) => ({ survey_id: id, ...each, position: place + 1 }));
      assert.deepEqual(own.map(withoutTime), all, `${stream}: ${id} is as the service has it`);
    }
  }

  #checkName(record: StreamRecord): void {
    const id = String(record.survey_id);
    const { name, type } = this.#service.survey(id);
    if (record.survey_name === null && !this.#isNamed(id)) return;
    assert.equal(record.survey_name, name, `the name of ${id}`);
    if ("survey_type" in record) assert.equal(record.survey_type, type, `the kind of ${id}`);
  }
}

const withoutCount = ({ responses, ...survey }: { readonly responses: unknown }): object => survey;

/** Without what changes during a sync. */
function withoutTime({ collected_at, additional_fields, responses, ...record }: StreamRecord): object {
  assert.match(String(collected_at), /^\d{4}-.*Z$/);
  assert.equal(additional_fields, null);
  return record;
}
