import type { RespondentInput } from "./respondents.ts";
import type { SurveyOptions } from "./survey.ts";

/** The surveys and respondents of a service: options of `createService` and `startSandbox`. */
export interface Company {
  readonly surveys: readonly SurveyOptions[];
  readonly respondents: readonly RespondentInput[];
}

/** Numbers from 0 to below 1 that are the same in each run. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PLANS = ["Free", "Team", "Business"];
const DEVICES = [
  { device_type: "Desktop", operating_system: "macOS", platform: "Safari" },
  { device_type: "Desktop", operating_system: "Windows", platform: "Chrome" },
  { device_type: "Mobile", operating_system: "iOS", platform: "Safari" },
  { device_type: "Tablet", operating_system: "Android", platform: "Chrome" },
];
const PARTS = ["Speed", "Design", "Price", "Support"];
const GRADES = ["Poor", "Fair", "Good", "Great"];
const MOODS = ["Terrible", "Bad", "Fine", "Good", "Great"];
const COMPLAINTS = [
  "I could not find the export.",
  "Too many emails.",
  "It was slow all week.",
  "The price went up without a word.",
  "Nobody answered my ticket.",
];
const PRAISE = ["Works as it should.", "The new dashboard is lovely.", "Support was quick!", ""];

const PEOPLE = 120;
/** How content people are with each survey's subject, month by month: from 0 to 10. */
const MOOD: Readonly<Record<string, readonly number[]>> = {
  "1001": [5.6, 6.0, 6.3, 6.9, 7.4, 7.6, 8.1, 8.4, 8.6],
  "1002": [7.6, 7.5, 7.8, 7.4, 7.7, 7.9, 7.8, 8.0, 7.9],
  "1003": [8.2, 8.0, 7.9, 5.2, 4.9, 6.4, 7.4, 7.9, 8.1],
};

/**
 * A made-up company with a year that has a story: people like the onboarding better each month, and the support had
 * a bad spring. The same in each run. The examples of `docs/questions.md` ask about it, and `--company` serves it.
 */
export function exampleCompany(): Company {
  const draw = drawing(7);
  const below = (count: number) => Math.floor(draw() * count);
  const people = Array.from({ length: PEOPLE }, (_, number) => ({
    uuid: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    attributes: [{ name: "plan", value: PLANS[(number * 7) % 3]! }],
    content: draw() * 3 - 1.5 + ((number * 7) % 3) * 0.5,
  }));
  const survey = (id: string, name: string, answersOf: (mood: number, skips: () => boolean) => object[]) => {
    const responses = MOOD[id]!.flatMap((mood, month) =>
      Array.from({ length: 16 + 3 * month + below(8) }, () => {
        const person = people[below(PEOPLE)]!;
        const device = DEVICES[below(DEVICES.length)]!;
        const felt = mood + person.content + (draw() - 0.5) * 5 - (device.device_type === "Mobile" ? 0.8 : 0);
        const time = Date.UTC(2026, month, 1 + below(28), below(24), below(60), below(60), below(1000));
        return {
          collected_at: new Date(time).toISOString().replace("Z", "000Z"),
          respondent_uuid: person.uuid,
          fields: {
            ...device,
            url: `https://app.example/${id}?ticket_id=${10_000 + below(900)}&from=mail`,
            language: ["en", "de", "ko"][below(3)],
            answers: answersOf(Math.min(10, Math.max(0, felt)), () => draw() < 0.12),
          },
        };
      }),
    );
    return { id, name, responses };
  };

  const nps = (question_id: number, felt: number) => {
    const score = Math.round(felt);
    const tag = score < 7 ? "detractor" : score < 9 ? "passive" : "promoter";
    return { question_id, question_type: "numerical_scale", answer: { content: String(score), tag } };
  };
  const text = (question_id: number, felt: number) => {
    const said = felt < 6.5 ? COMPLAINTS : PRAISE;
    return { question_id, question_type: "single", answer: said[below(said.length)]! };
  };
  const csat = (question_id: number, felt: number) => {
    const rating = Math.min(5, 1 + Math.floor(felt / 2));
    const answer = { id: question_id * 100 + rating, content: MOODS[rating - 1]!, rating };
    return { question_id, question_type: "csat", answer };
  };
  const choice = (question_id: number, contents: readonly string[], which: number) => ({
    question_id,
    question_type: "single",
    answer: { id: question_id * 100 + which, content: contents[which]! },
  });
  const matrix = (question_id: number, felt: number) => ({
    question_id,
    question_type: "multiple",
    answers: PARTS.map((content, number) => {
      const grade = Math.round(felt / 3.4 + [0.3, 0.6, -0.9, 0][number]! + draw() - 0.5);
      return { id: question_id * 100 + number, content, score: GRADES[Math.min(3, Math.max(0, grade))]! };
    }),
  });
  const ranking = (question_id: number) => {
    const order = PARTS.map((content, number) => ({
      content,
      number,
      weight: draw() + [0.5, 0, 0.8, 0.3][number]!,
    }));
    order.sort((one, other) => other.weight - one.weight);
    return {
      question_id,
      question_type: "ranking",
      answers: order.map(({ content, number }, place) => ({
        id: question_id * 100 + number,
        content,
        rank: place + 1,
      })),
    };
  };
  const unless = (skipped: boolean, answer: () => object): object[] => (skipped ? [] : [answer()]);

  return {
    respondents: people.map(({ uuid, attributes }) => ({ uuid, attributes })),
    surveys: [
      survey("1001", "Onboarding", (felt, skips) => [
        nps(1001, felt),
        ...unless(skips(), () =>
          choice(1002, ["Very easy", "Easy", "Hard"], felt > 7 ? 0 : felt > 4.5 ? 1 : 2),
        ),
        ...unless(draw() < 0.45, () => text(1003, felt)),
      ]),
      survey("1002", "Product feedback", (felt, skips) => [
        nps(2001, felt),
        ...unless(skips(), () => csat(2002, felt)),
        ...unless(draw() < 0.25, () => matrix(2003, felt)),
        ...unless(draw() < 0.55, () => ranking(2004)),
        // A second score, which is lower than the first one.
        nps(2005, Math.max(0, felt - 2)),
      ]),
      survey("1003", "Support", (felt, skips) => [
        nps(3001, felt),
        ...unless(skips(), () => csat(3002, felt)),
        ...unless(draw() < 0.35, () => text(3003, felt)),
      ]),
    ],
  };
}
