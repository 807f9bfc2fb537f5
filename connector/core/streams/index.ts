import type { StreamDefinition } from "./definition.ts";
import { respondentAttributes } from "./respondent-attributes.ts";
import { respondentResponses } from "./respondent-responses.ts";
import { responseKeySnapshots } from "./response-key-snapshots.ts";
import { responseKeys } from "./response-keys.ts";
import { surveyAnswers } from "./survey-answers.ts";
import { surveyQuestions } from "./survey-questions.ts";
import { surveyResponses } from "./survey-responses.ts";
import { surveys } from "./surveys.ts";

/** The streams, in the order of the catalog. A new one is a file here and a line here. */
const LIST = [
  surveyResponses,
  surveyAnswers,
  respondentResponses,
  respondentAttributes,
  surveys,
  surveyQuestions,
  responseKeys,
  responseKeySnapshots,
] as const;

export type StreamName = (typeof LIST)[number]["name"];

type Stream = StreamDefinition & { readonly name: StreamName };

/** The definition of each stream, by its name. */
export const STREAMS = Object.fromEntries(
  LIST.map((stream): [string, Stream] => [stream.name, stream]),
) as Readonly<Record<StreamName, Stream>>;
