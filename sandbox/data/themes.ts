/** The texts of one kind of survey, and how its respondents score. */
export interface Theme {
  /** Options of a question, from the worst to the best. */
  readonly opinions: readonly string[];
  /** Options of questions with several answers, a matrix or a ranking. */
  readonly topics: readonly string[];
  readonly praise: readonly string[];
  readonly criticism: readonly string[];
  /** Percent of the respondents that give each score from 0 to 10. */
  readonly scores: readonly number[];
}

/** Remarks of people who are neither pleased nor angry. They hold what breaks careless programs. */
export const NEUTRAL_REMARKS = [
  'It says "saved", and then it is not.',
  "Größe und Farbe stimmten, die Lieferung kam später als erwartet. 👍",
  "First line.\nSecond line, with a tab\tand a back\\slash.",
  "使い方は簡単ですが、もう少し速いと嬉しいです。",
  "",
];

/** The themes of the example surveys, in their order. Their net promoter scores differ clearly. */
export const THEMES: readonly Theme[] = [
  {
    opinions: ["Very disappointed", "Disappointed", "As expected", "Pleased", "Delighted"],
    topics: ["Price", "Delivery", "Quality", "Packaging", "Choice of products"],
    praise: ["Arrived a day early and exactly as described.", "The return was easy."],
    criticism: ["The box was damaged and one cup was broken.", "Shipping cost more than the product."],
    scores: [2, 1, 1, 2, 3, 4, 5, 10, 18, 26, 28],
  },
  {
    opinions: ["Far too expensive", "Too expensive", "About right", "Good value", "A bargain"],
    topics: ["Price", "Number of seats", "Integrations", "Contract length", "Support included"],
    praise: ["The starter plan has everything that my team needs.", "Clear prices, no hidden fees."],
    criticism: ["What happens when we exceed the limit?", "We moved to a competitor because of the price."],
    scores: [6, 4, 5, 7, 8, 11, 12, 17, 14, 9, 7],
  },
  {
    opinions: ["Very hard to use", "Hard to use", "Usable", "Easy to use", "Very easy to use"],
    topics: ["Speed", "Design", "Search", "Notifications", "Offline mode"],
    praise: ["I use it every morning on the train.", "The dark mode is beautiful."],
    criticism: ["It logs me out after every update.", "Since the last update it drains the battery."],
    scores: [3, 2, 3, 4, 5, 8, 10, 15, 18, 17, 15],
  },
  {
    opinions: ["Not solved at all", "Hardly solved", "Partly solved", "Mostly solved", "Completely solved"],
    topics: ["Waiting time", "Friendliness", "Knowledge", "Follow-up", "Opening hours"],
    praise: ["Maria solved it in five minutes. Thank you!", "A support team that reads the whole question."],
    criticism: ["I had to explain the problem to three people."],
    scores: [2, 1, 1, 1, 2, 2, 3, 6, 14, 28, 40],
  },
];

/** The score of a share of the respondents, from 0 to 1: the lowest scores first. */
export function scoreAt({ scores }: Theme, share: number): number {
  let percent = 0;
  const score = scores.findIndex((weight) => {
    percent += weight;
    return share * 100 < percent;
  });
  return score < 0 ? scores.length - 1 : score;
}
