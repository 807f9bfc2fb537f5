/** The wall times of one scenario, in seconds, by reader. */
export interface Bars {
  readonly name: string;
  readonly seconds: ReadonlyMap<string, number>;
}

const COLOURS = ["#2563eb", "#d97706", "#6b7280", "#0f766e"];
const WIDTH = 760;
const LEFT = 220;
/** For the number after the longest bar. */
const RIGHT = 70;
const ROW = 19;
const HEADING = 24;
const GAP = 10;
const AXIS = 34;
const MOST_TICKS = 7;

/** The wall times as bars on one scale, so that a bar that is twice as long stands for twice the time. */
export function chart(groups: readonly Bars[]): string {
  const longest = Math.max(...groups.flatMap(({ seconds }) => [...seconds.values()]));
  const step = stepFor(longest);
  const end = Math.ceil(longest / step) * step;
  const x = (seconds: number): number => LEFT + (seconds / end) * (WIDTH - LEFT - RIGHT);
  let y = 6;
  const drawn = groups.map((group) => {
    const top = y;
    y += HEADING + group.seconds.size * ROW + GAP;
    return bars(group, top, x);
  });
  const title = "Wall time of each reader in each scenario, in seconds";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + AXIS}" width="${WIDTH}" height="${y + AXIS}" font-family="sans-serif" font-size="12" fill="#6b7280" role="img" aria-label="${title}">
<title>${title}</title>
${[axis(step, end, y, x), ...drawn].join("\n")}
</svg>
`;
}

/** The groups of a page that `bench:peers` wrote. Throws if the page has none. */
export function barsIn(markdown: string): Bars[] {
  const sections = markdown.split(/^## /m).slice(1);
  const groups = sections.map((section) => ({
    name: section.slice(0, section.indexOf("\n")),
    seconds: new Map(
      [...section.matchAll(/^\| (.+?) \| ([\d.]+) s \|/gm)].map(([, reader = "", time]) => [
        reader,
        Number(time),
      ]),
    ),
  }));
  if (groups.length === 0 || groups.some(({ seconds }) => seconds.size === 0)) {
    throw new Error("The page has no times to draw. Run npm run bench:peers -- --write first.");
  }
  return groups;
}

function bars({ name, seconds }: Bars, top: number, x: (seconds: number) => number): string {
  const rows = [...seconds].map(([reader, value], place) => {
    const y = top + HEADING + place * ROW;
    const width = (x(value) - LEFT).toFixed(1);
    return `<text x="${LEFT - 8}" y="${y + 11}" text-anchor="end">${escaped(reader)}</text><rect x="${LEFT}" y="${y}" width="${width}" height="${ROW - 5}" fill="${COLOURS[place % COLOURS.length]}"/><text x="${(x(value) + 6).toFixed(1)}" y="${y + 11}">${value.toFixed(1)} s</text>`;
  });
  return `<text x="0" y="${top + 13}" font-weight="bold">${escaped(name)}</text>${rows.join("")}`;
}

function axis(step: number, end: number, bottom: number, x: (seconds: number) => number): string {
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, tick) => tick * step);
  return ticks
    .map((tick) => {
      const at = x(tick).toFixed(1);
      return `<line x1="${at}" x2="${at}" y1="24" y2="${bottom}" stroke="#6b7280" stroke-opacity="0.3"/><text x="${at}" y="${bottom + 16}" text-anchor="middle">${tick} s</text>`;
    })
    .join("");
}

/** 1, 2 or 5 of some power of ten. */
function stepFor(longest: number): number {
  const power = 10 ** Math.floor(Math.log10(longest / MOST_TICKS));
  return [1, 2, 5, 10].map((each) => each * power).find((step) => longest / step <= MOST_TICKS)!;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
