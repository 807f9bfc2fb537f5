import { answersOf, scoreAt, themeOf } from "./answers.ts";
import { withPersonalData } from "./personal-data.ts";
import { itemAt, Random, spread } from "./random.ts";
import {
  type Answer,
  type AttributePair,
  DEVICE_TYPES,
  OPERATING_SYSTEMS,
  type ResponseContent,
} from "./record.ts";
import { PLANS } from "./respondents.ts";

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

const CAMPAIGNS = ["newsletter", "spring launch", "documentation banner"];

/** The contents of one survey's responses, each computed when it is first needed. */
export class Contents {
  readonly #seed: number;
  readonly #surveyNumber: number;
  readonly #little: boolean;
  readonly #personalData: boolean;
  readonly #made: (Variant | undefined)[] = [];

  /** With `little`, responses have no answers and pages are small. */
  constructor(seed: number, surveyNumber: number, little: boolean, personalData: boolean) {
    this.#seed = seed;
    this.#surveyNumber = surveyNumber;
    this.#little = little;
    this.#personalData = personalData;
  }

  /** The variant for any whole number; the same number gives the same variant. */
  variant(number: number): Variant {
    const place = this.#little ? 0 : number % VARIANT_COUNT;
    this.#made[place] ??= this.#make(place);
    return this.#made[place];
  }

  #answers(random: Random, place: number): Answer[] {
    const theme = themeOf(this.#surveyNumber);
    const score = scoreAt(theme, ((place * SCORE_STEP) % VARIANT_COUNT) / VARIANT_COUNT);
    return answersOf(random, theme, score, this.#surveyNumber);
  }

  #make(place: number): Variant {
    const random = new Random(spread(this.#seed, place, 3));
    const example: ResponseContent = {
      url: `https://www.example.com/${random.pick(["", "pricing", "help?from=mail&x=1", "größen#oben"])}`,
      device_type: itemAt(DEVICE_TYPES, place),
      operating_system: itemAt(OPERATING_SYSTEMS, place),
      platform: random.pick(PLATFORMS),
      ...(place % 3 === 0 ? {} : { language: random.pick(LANGUAGES) }),
      answers: this.#little ? [] : this.#answers(random, place),
    };
    const content = this.#personalData ? withPersonalData(example) : example;
    const attributes = this.#little ? [] : responseAttributes(random);
    return { content, attributes };
  }
}

function responseAttributes(random: Random): AttributePair[] {
  const pairs = [
    { name: "campaign", value: random.pick(CAMPAIGNS) },
    { name: "order id", value: `A-${10_000 + random.below(90_000)}` },
    { name: "plan", value: random.pick(PLANS) },
  ];
  return pairs.filter(() => random.below(3) === 0);
}
