import { answersOf } from "./answers.ts";
import { drawFrom, spread } from "./chance.ts";
import { type AttributePair, deviceTypes, operatingSystems, type ResponseContent } from "./record.ts";

/** What one in many responses says: computed once, shared by all responses that say the same. */
export interface Variant {
  readonly content: ResponseContent;
  /** `content` as JSON without its braces. */
  readonly json: string;
  /** Attributes recorded with the response itself. */
  readonly attributes: readonly AttributePair[];
}

const variety = 128;
const languages = ["en", "de", "pl", "pt-BR", "ja"];
const platforms = ["Chrome", "Safari", "Firefox", "com.example.app 4.2.0", ""];

/** Names of attributes that generated responses carry themselves. */
export const responseAttributeNames = ["campaign", "order id", "plan"] as const;

/** What the responses of one survey say, made when first needed. */
export class Contents {
  readonly #seed: number;
  readonly #surveyNumber: number;
  readonly #little: boolean;
  readonly #made: (Variant | undefined)[] = [];

  /** With `little`, responses hold no answers and every page is small: for simulations of many pages. */
  constructor(seed: number, surveyNumber: number, little: boolean) {
    this.#seed = seed;
    this.#surveyNumber = surveyNumber;
    this.#little = little;
  }

  /** The variant for any whole number; the same number gives the same variant. */
  variant(number: number): Variant {
    const place = this.#little ? 0 : number % variety;
    this.#made[place] ??= this.#make(place);
    return this.#made[place];
  }

  #make(place: number): Variant {
    const draw = drawFrom(spread(this.#seed, place, 3));
    const content: ResponseContent = {
      url: `https://www.example.com/${draw.pick(["", "pricing", "help?from=mail&x=1", "größen#oben"])}`,
      device_type: deviceTypes[place % deviceTypes.length]!,
      operating_system: operatingSystems[place % operatingSystems.length]!,
      platform: draw.pick(platforms),
      ...(place % 3 === 0 ? {} : { language: draw.pick(languages) }),
      answers: this.#little ? [] : answersOf(draw, this.#surveyNumber),
    };
    const attributes = responseAttributeNames
      .filter(() => !this.#little && draw.below(3) === 0)
      .map((name) => ({ name, value: `${name} ${draw.below(50)}` }));
    const json = JSON.stringify(content).slice(1, -1);
    return { content, json: this.#surveyNumber % 2 === 0 ? escaped(json) : json, attributes };
  }
}

/**
 * JSON in ASCII: every other survey spells its letters so, and both spellings mean the same. The way through
 * bytes makes the engine keep one byte a letter, which makes pages of it half as dear.
 */
function escaped(json: string): string {
  const ascii = json.replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return Buffer.from(ascii, "latin1").toString("latin1");
}
