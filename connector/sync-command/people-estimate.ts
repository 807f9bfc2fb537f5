/** Some responses, and how many different people gave them. */
export interface Sample {
  readonly responses: number;
  readonly people: number;
}

/** With fewer repetitions, a sample says nothing about how many people there are. */
const FEWEST_REPETITIONS = 5;

/**
 * About how many different people gave `responses`, by how often people repeat in a sample of them; undefined if it has too few
 * repetitions to say so. It rests on the assumption that everybody answers about equally often: then a sample of `n` responses
 * of `N` people shows `N (1 - e^(-n/N))` of them. A sample of all responses is counted.
 *
 * @example 300 different people in 500 of 10,000 responses: about 460 people, where the share alone would say 6,000
 */
export function peopleAmong(responses: number, sample: Sample): number | undefined {
  if (sample.responses >= responses) return sample.people;
  if (sample.responses - sample.people < FEWEST_REPETITIONS) return undefined;
  const all = peopleBehind(sample);
  return Math.min(responses, Math.round(shownOf(all, responses)));
}

/** How many of `people` a number of responses shows. */
const shownOf = (people: number, responses: number): number => people * -Math.expm1(-responses / people);

/** How many people there are if a sample shows so many of them: `shownOf` grows with them, so halving finds the number. */
function peopleBehind({ responses, people }: Sample): number {
  let [fewest, most] = [people / 2, responses ** 2];
  while (most - fewest > 0.5) {
    const middle = (fewest + most) / 2;
    if (shownOf(middle, responses) < people) fewest = middle;
    else most = middle;
  }
  return most;
}
