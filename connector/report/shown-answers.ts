import { counted } from "./numbers.ts";

/** How many responses gave an answer: a row of the view `answer_counts`. */
export interface AnswerCount {
  readonly answer: string | null;
  /** Its place in the survey's own list; null if the list does not have it. */
  readonly place: number | null;
  /** Its number on a scale. */
  readonly grade: number | null;
  readonly responses: number;
}

/** A line of a chart. */
export interface Line {
  /** `words`: somebody's. `ours`: what the page says of several answers together. */
  readonly kind: "words" | "ours";
  readonly label: string;
  readonly responses: number;
  /** Whether a response counts once at most in this line, so that its share of all responses has a meaning. */
  readonly isShare: boolean;
}

/** At most so many lines are shown of a question. */
const MOST_LINES = 12;
/** A scale with grades beyond this, or in between, is shown in ranges: somebody may have typed the number. */
const LARGEST_GRADE = 12;
/** Grades are in these bounds. Any other number was typed, and may be a telephone number. */
const SCALE = { from: -100, to: 100 };

/** How many responses these are together. */
export const responsesIn = (of: readonly Pick<Line, "responses">[]): number =>
  of.reduce((sum, { responses }) => sum + responses, 0);

/** Words that personal data was hashed to. They are no answer that one could read. */
const isHash = (words: string): boolean => /^[0-9a-f]{64}$/.test(words);

export interface Showing {
  /** Whether people's own words are shown. */
  readonly hasTexts: boolean;
  /** Whether at least three respondents gave this answer, so that it is nobody's own words. */
  readonly isShared: (words: string) => boolean;
  /** Whether a response may give several answers. */
  readonly isSeveral?: boolean;
}

/**
 * The lines of a question's chart: its listed answers in their order, then others by their number. Without `hasTexts` they have
 * nothing that one person may have written: what the survey does not list, and fewer than three respondents gave, is one
 * line. More than twelve lines end in one for the rest.
 */
export function shownAnswers(counts: readonly AnswerCount[], showing: Showing): Line[] {
  const kinds = Map.groupBy(counts, (count) => secrecyOf(count, showing));
  const lines = (kinds.get("shown") ?? []).toSorted(byPlace).map(wordsLine);
  return [
    ...folded(lines, showing),
    ...together(kinds.get("own words") ?? [], "people's own words, which --texts shows", showing),
    ...together(kinds.get("hash") ?? [], "hashed answers", showing),
  ];
}

/** Whether an answer may be shown, and else why not. */
export function secrecyOf(
  { answer, place }: Pick<AnswerCount, "answer" | "place">,
  { hasTexts, isShared }: Showing,
): "shown" | "own words" | "hash" {
  if (answer === null) return "own words";
  if (isHash(answer)) return "hash";
  return hasTexts || place !== null || BOOLEANS.has(answer) || isShared(answer) ? "shown" : "own words";
}

/** The author of a question for an action writes no answers: we call them so. */
const BOOLEANS: ReadonlySet<string> = new Set(["Yes", "No"]);

const wordsLine = ({ answer, responses }: AnswerCount): Line => ({
  kind: "words",
  label: answer ?? "",
  responses,
  isShare: true,
});

const byPlace = (a: AnswerCount, b: AnswerCount): number =>
  (a.place ?? Number.MAX_SAFE_INTEGER) - (b.place ?? Number.MAX_SAFE_INTEGER) || b.responses - a.responses;

/** The first lines, and one for the rest. */
function folded(lines: readonly Line[], { isSeveral = false }: Showing): Line[] {
  if (lines.length <= MOST_LINES) return [...lines];
  const often = new Set(lines.toSorted((a, b) => b.responses - a.responses).slice(0, MOST_LINES - 1));
  const rest = lines.filter((line) => !often.has(line));
  return [
    ...lines.filter((line) => often.has(line)),
    {
      kind: "ours",
      label: `${counted(rest.length)} more answers, each chosen less often`,
      responses: responsesIn(rest),
      isShare: !isSeveral,
    },
  ];
}

/** One line for all these answers; none without them. */
function together(counts: readonly AnswerCount[], what: string, { isSeveral = false }: Showing): Line[] {
  const responses = responsesIn(counts);
  return responses === 0 ? [] : [{ kind: "ours", label: what, responses, isShare: !isSeveral }];
}

/** An answer that is a grade of a scale. */
export interface Grade extends AnswerCount {
  readonly grade: number;
}

/** The counts whose number is a grade of a scale. Any other number was typed by somebody. */
export const grades = (counts: readonly AnswerCount[]): readonly Grade[] => counts.filter(isGrade);

const isGrade = (count: AnswerCount): count is Grade =>
  typeof count.grade === "number" && count.grade >= SCALE.from && count.grade <= SCALE.to;

/** The average of at least one grade. */
export const averageOf = (counts: readonly Grade[]): number =>
  counts.reduce((sum, { grade, responses }) => sum + grade * responses, 0) / responsesIn(counts);

/** The lines of a scale, from its lowest grade: each with its words, or ranges if there are many. */
export function shownGrades(counts: readonly AnswerCount[], showing: Showing): Line[] {
  const onScale = grades(counts);
  const others = counts.filter((count) => !isGrade(count));
  const isShort = onScale.every(({ grade }) => Number.isInteger(grade) && Math.abs(grade) <= LARGEST_GRADE);
  const byGrade = onScale.toSorted((a, b) => a.grade - b.grade || b.responses - a.responses);
  const lines = isShort ? byGrade.map((count) => gradeLine(count, showing)) : ranges(onScale);
  return [...merged(lines), ...together(others, "numbers outside of the scale", showing)];
}

/** "4 · Good" if the words say more than the number. */
function gradeLine(count: Grade, showing: Showing): Line {
  const { grade, answer, responses } = count;
  const isShown = secrecyOf(count, showing) === "shown" && answer !== String(grade);
  const words = isShown ? ` · ${answer}` : "";
  return { kind: "words", label: `${grade}${words}`, responses, isShare: true };
}

/** Grades in ranges of ten. A scale to 100 ends with the range from 90 to 100. */
function ranges(counts: readonly Grade[]): Line[] {
  const startOf = ({ grade }: Grade): number => Math.min(LAST_RANGE, 10 * Math.floor(grade / 10));
  const starts = counts.map(startOf);
  const [first, last] = [Math.min(...starts), Math.max(...starts)];
  const lines: Line[] = [];
  for (let start = first; start <= last; start += 10) {
    const end = start === LAST_RANGE ? SCALE.to : start + 9;
    const responses = responsesIn(counts.filter((count) => startOf(count) === start));
    lines.push({ kind: "words", label: `${start} to ${end}`, responses, isShare: true });
  }
  return lines;
}

const LAST_RANGE = 90;

/** Lines of the same label as one. */
function merged(lines: readonly Line[]): Line[] {
  const groups = [...Map.groupBy(lines, ({ label }) => label).values()];
  return groups.flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, responses: responsesIn(group) }] : [];
  });
}
