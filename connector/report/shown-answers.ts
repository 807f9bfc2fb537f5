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
/** A scale with more grades than this is shown in ranges. */
const MOST_GRADES = 12;
/** Grades are in these bounds. Any other number was typed, and may be a telephone number. */
const SCALE = { from: -100, to: 100 };

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
      responses: rest.reduce((sum, { responses }) => sum + responses, 0),
      isShare: !isSeveral,
    },
  ];
}

/** One line for all these answers; none without them. */
function together(counts: readonly AnswerCount[], what: string, { isSeveral = false }: Showing): Line[] {
  const responses = counts.reduce((sum, count) => sum + count.responses, 0);
  return responses === 0 ? [] : [{ kind: "ours", label: what, responses, isShare: !isSeveral }];
}

/** The counts whose number is a grade of a scale. Any other number was typed by somebody. */
export const grades = (
  counts: readonly AnswerCount[],
): readonly (AnswerCount & { readonly grade: number })[] =>
  counts.flatMap((count) => {
    const { grade } = count;
    return typeof grade === "number" && grade >= SCALE.from && grade <= SCALE.to ? [{ ...count, grade }] : [];
  });

/** The lines of a scale, from its lowest grade: each with its words, or ranges if there are many. */
export function shownGrades(counts: readonly AnswerCount[], showing: Showing): Line[] {
  const onScale = grades(counts);
  const typed = together(
    counts.filter(({ grade }) => !onScale.some((count) => count.grade === grade)),
    "numbers outside of the scale",
    showing,
  );
  const values = [...new Set(onScale.map(({ grade }) => grade))];
  const lines =
    values.length > MOST_GRADES || values.some((value) => !Number.isInteger(value))
      ? ranges(onScale)
      : onScale
          .toSorted((a, b) => a.grade - b.grade || b.responses - a.responses)
          .map((count) => gradeLine(count, showing));
  return [...merged(lines), ...typed];
}

/** "4 · Good" if the words say more than the number. */
function gradeLine(count: AnswerCount & { readonly grade: number }, showing: Showing): Line {
  const { grade, answer, responses } = count;
  const isShown = secrecyOf(count, showing) === "shown" && answer !== String(grade);
  const words = isShown ? ` · ${answer}` : "";
  return { kind: "words", label: `${grade}${words}`, responses, isShare: true };
}

/** Grades in ranges of ten. */
function ranges(counts: readonly (AnswerCount & { readonly grade: number })[]): Line[] {
  const starts = counts.map(({ grade }) => 10 * Math.floor(grade / 10));
  const last = Math.max(...starts);
  // A scale to 100 ends with the range from 90 to 100.
  const startOf = (grade: number): number => {
    const start = 10 * Math.floor(grade / 10);
    return start === 100 ? 90 : start;
  };
  const lines: Line[] = [];
  for (let start = Math.min(...starts); start <= Math.min(last, 90); start += 10) {
    const inside = counts.filter(({ grade }) => startOf(grade) === start);
    const end = start === 90 ? 100 : start + 9;
    lines.push({
      kind: "words",
      label: `${start} to ${end}`,
      responses: inside.reduce((sum, { responses }) => sum + responses, 0),
      isShare: true,
    });
  }
  return lines;
}

/** Lines of the same label as one. */
function merged(lines: readonly Line[]): Line[] {
  const groups = [...Map.groupBy(lines, ({ label }) => label).values()];
  return groups.flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, responses: group.reduce((sum, { responses }) => sum + responses, 0) }] : [];
  });
}
