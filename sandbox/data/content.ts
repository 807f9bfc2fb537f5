import { answersOf } from "./answers.ts";
import { withPersonalData } from "./personal-data.ts";
import { itemAt, Random, spread } from "./random.ts";
import { type AttributePair, DEVICE_TYPES, OPERATING_SYSTEMS, type ResponseContent } from "./record.ts";
import { PLANS } from "./respondents.ts";
import { scoreAt, THEMES } from "./themes.ts";

/** The content of a response, computed once and shared by many responses. */
export interface Variant {
  readonly content: ResponseContent;
  /** Attributes recorded with the response itself. */
  readonly attributes: readonly AttributePair[];
}

const VARIANT_COUNT = 128;
/** Without a common divisor, so that the variants take the scores in another order than their own. */
const SCORE_STEP = 53;
const LANGUAGES = ["en", "de", "pl", "pt-BR", "ja"];
const PLATFORMS = ["Chrome", "Safari", "Firefox", "com.example.app 4.2.0", ""];
const PATHS = ["", "pricing", "help?from=mail&x=1", "größen#oben"];
const CAMPAIGNS = ["newsletter", "spring launch", "documentation banner"];

/** What the responses of a survey hold. */
export interface ContentRules {
  readonly seed: number;
  readonly surveyNumber: number;
  /** Without answers, so that pages are small. */
  readonly isLittle: boolean;
  readonly hasPersonalData: boolean;
}

/** The variant for any whole number, each computed when it is first needed. The same number gives the same variant. */
export function contentsOf(rules: ContentRules): (number: number) => Variant {
  const made: (Variant | undefined)[] = [];
  return (number) => {
    const place = rules.isLittle ? 0 : number % VARIANT_COUNT;
    made[place] ??= makeVariant(rules, place);
    return made[place];
  };
}

function makeVariant(
  { seed, surveyNumber, isLittle, hasPersonalData }: ContentRules,
  place: number,
): Variant {
  const random = new Random(spread(seed, place, 3));
  const theme = itemAt(THEMES, surveyNumber);
  const score = scoreAt(theme, ((place * SCORE_STEP) % VARIANT_COUNT) / VARIANT_COUNT);
  const content: ResponseContent = {
    url: `https://www.example.com/${random.pick(PATHS)}`,
    device_type: itemAt(DEVICE_TYPES, place),
    operating_system: itemAt(OPERATING_SYSTEMS, place),
    platform: random.pick(PLATFORMS),
    ...(place % 3 !== 0 && { language: random.pick(LANGUAGES) }),
    answers: isLittle ? [] : answersOf(random, theme, score, surveyNumber),
  };
  const attributes = [
    { name: "campaign", value: random.pick(CAMPAIGNS) },
    { name: "order id", value: `A-${10_000 + random.below(90_000)}` },
    { name: "plan", value: random.pick(PLANS) },
  ].filter(() => !isLittle && random.below(3) === 0);
  return { content: hasPersonalData ? withPersonalData(content) : content, attributes };
}
