import type { Service } from "../../sandbox/index.ts";

/** One more response, with half of an emoji and a NUL, as a client's limit of length or a faulty form leaves them. */
export function addUnstorableText(service: Service): void {
  const [surveyId = ""] = service.truth.surveyIds();
  const url = "https://www.example.com/\ud83d and \u0000";
  service.collect(surveyId, [{ collected_at: "2026-01-15T12:00:00.000000Z", fields: { url } }]);
}
