import { type Html, html, NOTHING } from "./html.ts";
import { type Answers, type Measure, scoreOf, shownScore } from "./measure.ts";
import { monthName } from "./months.ts";
import { counted, plural } from "./numbers.ts";

const LINE = { width: 240, height: 60 };
/** Room around the line, so that a point at an edge is whole. */
const EDGE = 4;

/**
 * A figure as a line over these months, with its zero. A month without answers is a gap. The texts of the points, and the label of
 * the picture, have the values.
 */
export function monthsLine({ kind, months }: Measure, names: readonly string[]): Html {
  const lowest = kind === "nps" ? -100 : 0;
  const xOf = (at: number): number => EDGE + (at * (LINE.width - 2 * EDGE)) / Math.max(1, names.length - 1);
  const yOf = (score: number): number => EDGE + ((100 - score) * (LINE.height - 2 * EDGE)) / (100 - lowest);
  const points = names.flatMap((name, at) => {
    const of = months.get(name);
    return of ? [{ at, name, of, x: xOf(at), y: yOf(scoreOf(of)) }] : [];
  });
  const segments = points.flatMap((point, at) => {
    const before = points[at - 1];
    return before && before.at === point.at - 1 ? [segment(before, point)] : [];
  });
  const dots = points.map(({ name, of, x, y }) => {
    const place = html`cx="${round(x)}" cy="${round(y)}"`;
    return html`<circle ${place} r="3"><title>${shownMonth(kind, name, of)}</title></circle>`;
  });
  const values = names.map((name) => shownMonth(kind, name, months.get(name))).join(", ");
  const label = `${kind === "nps" ? "NPS" : "CSAT"} by month: ${values}`;
  return html`<svg class="line" role="img" aria-label="${label}" viewBox="0 0 ${LINE.width} ${LINE.height}">
<line class="zero" x1="0" y1="${round(yOf(0))}" x2="${LINE.width}" y2="${round(yOf(0))}"/>
${segments}${dots}
</svg>`;
}

type Point = Readonly<Record<"x" | "y", number>>;

const segment = (from: Point, to: Point): Html =>
  html`<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}"/>`;

/** "Sep 2026: +25 of 4 answers". */
const shownMonth = (kind: Measure["kind"], name: string, of: Answers | undefined): string =>
  `${monthName(name)}: ${of ? `${shownScore(kind, of)} of ${plural(of.answers, "answer")}` : "no answers"}`;

const round = (place: number): number => Math.round(10 * place) / 10;

/** So many weeks are shown. */
const WEEKS = 52;
const DAY_MS = 86_400_000;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const COLUMN = { width: 8, gap: 2 };
const STEP = COLUMN.width + COLUMN.gap;

const weekOf = (day: string): number =>
  Math.floor((Date.parse(`${day}T00:00:00Z`) - FIRST_MONDAY_MS) / (7 * DAY_MS));
const mondayOf = (week: number): string =>
  new Date(FIRST_MONDAY_MS + week * 7 * DAY_MS).toISOString().slice(0, 10);

/** The responses of 52 weeks as columns, up to the week of `lastDay`. Weeks begin on Mondays. */
export function weeksChart(days: ReadonlyMap<string, number>, lastDay: string | undefined): Html {
  if (lastDay === undefined) return NOTHING;
  const last = weekOf(lastDay);
  const weeks = new Map<number, number>();
  for (const [day, responses] of days) weeks.set(weekOf(day), (weeks.get(weekOf(day)) ?? 0) + responses);
  const shown = Array.from({ length: WEEKS }, (_, at) => last - WEEKS + 1 + at);
  const most = Math.max(0, ...shown.map((week) => weeks.get(week) ?? 0));
  if (most === 0) return html`<p>No responses in the last ${WEEKS} weeks.</p>`;
  const columns = shown.map((week, at) => column(at, week, weeks.get(week) ?? 0, most));
  const label = `Responses by week, at most ${counted(most)}`;
  const size = html`viewBox="0 0 ${WEEKS * STEP} 100" preserveAspectRatio="none"`;
  return html`<figure>
<svg class="weeks" role="img" aria-label="${label}" ${size}>${columns}</svg>
<figcaption><span>${mondayOf(shown[0] ?? last)}</span><span>at most ${counted(most)} a week</span><span>${mondayOf(last)}</span></figcaption>
</figure>`;
}

/** The column of a week, as high as its share of the most. */
function column(at: number, week: number, responses: number, most: number): Html {
  if (responses === 0) return NOTHING;
  const height = (100 * responses) / most;
  const place = html`x="${at * STEP}" y="${round(100 - height)}"`;
  const size = html`width="${COLUMN.width}" height="${round(height)}"`;
  const title = `Week of ${mondayOf(week)}: ${plural(responses, "response")}`;
  return html`<rect ${place} ${size}><title>${title}</title></rect>`;
}
