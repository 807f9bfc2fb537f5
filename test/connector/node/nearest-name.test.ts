import { expect, test } from "vitest";
import { nearestName } from "../../../connector/node/nearest-name.ts";

const COMMANDS = ["spec", "check", "discover", "read", "catalog", "sync"];
const FIELDS = ["base_url", "api_key", "survey_ids", "start_date", "end_date", "url"];
const STREAMS = ["survey_responses", "respondent_responses", "surveys", "survey_answers"];

test.each<[word: string, known: readonly string[], nearest: string | undefined]>([
  ["raed", COMMANDS, "read"],
  ["reads", COMMANDS, "read"],
  ["READ", COMMANDS, "read"],
  ["rd", COMMANDS, undefined],
  ["discvoer", COMMANDS, "discover"],
  ["dsicovre", COMMANDS, "discover"],
  ["snyc", COMMANDS, "sync"],
  ["specs", COMMANDS, "spec"],
  ["catalogue", COMMANDS, "catalog"],
  ["write", COMMANDS, undefined],
  ["", COMMANDS, undefined],
  ["apikey", FIELDS, "api_key"],
  ["apiKey", FIELDS, "api_key"],
  ["API-KEY", FIELDS, "api_key"],
  ["api.key ", FIELDS, "api_key"],
  ["key", FIELDS, undefined],
  ["start_dat", FIELDS, "start_date"],
  ["strat_dtae", FIELDS, "start_date"],
  ["start", FIELDS, undefined],
  ["survey_id", FIELDS, "survey_ids"],
  ["surveys", FIELDS, "survey_ids"],
  ["ur", FIELDS, "url"],
  ["link", FIELDS, undefined],
  ["--base-url", FIELDS, "base_url"],
  ["sk_live_4f9a0c77d1e2", FIELDS, undefined],
  ["a".repeat(200), FIELDS, undefined],
  ["respondent_response", STREAMS, "respondent_responses"],
  ["survey-answer", STREAMS, "survey_answers"],
  ["toString", STREAMS, undefined],
])("%s", (word, known, nearest) => expect(nearestName(word, known)).toBe(nearest));
