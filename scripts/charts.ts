/** Charts as SVG, for the documentation: the same rows give the same text. */

export interface Series {
  readonly name: string;
  /** One value for each label; null leaves a gap. */
  readonly values: readonly (number | null)[];
}

const COLORS = ["#2563a8", "#d97706", "#2f855a", "#9d4edd", "#64748b"];
const WIDTH = 720;
const LEFT = 56;
const RIGHT = 150;
const TOP = 48;
const PLOT_HEIGHT = 240;

/** A line for each series over the labels. */
export function lineChart(title: string, labels: readonly string[], series: readonly Series[]): string {
  const scale = scaleOf(series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const x = (place: number) => LEFT + ((WIDTH - LEFT - RIGHT) * place) / Math.max(1, labels.length - 1);
  const lines = series.map(({ values }, number) => {
    const points = values.flatMap((value, place) =>
      value === null ? [] : [`${round(x(place))},${round(scale.y(value))}`],
    );
    const dots = points.map((point) => {
      const [cx, cy] = point.split(",");
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${color(number)}"/>`;
    });
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${color(number)}" stroke-width="2.5"/>${dots.join("")}`;
  });
  const names = labels.map((label, place) => text(x(place), TOP + PLOT_HEIGHT + 20, label, "middle"));
  return svg(title, TOP + PLOT_HEIGHT + 40, [...scale.grid, ...lines, ...names, ...legend(series)]);
}

/** A bar for each label, put together from the series. */
export function stackedBars(title: string, labels: readonly string[], series: readonly Series[]): string {
  const totals = labels.map((_, place) => round(sum(series.map(({ values }) => values[place] ?? 0))));
  const scale = scaleOf([0, ...totals]);
  const step = (WIDTH - LEFT - RIGHT) / labels.length;
  const every = Math.ceil(labels.length / 12);
  const bars = labels.flatMap((label, place) => {
    let below = 0;
    const parts = series.map(({ values }, number) => {
      const value = values[place] ?? 0;
      const top = scale.y(below + value);
      const height = scale.y(below) - top;
      below += value;
      return rectangle(LEFT + step * (place + 0.12), top, step * 0.76, height, color(number));
    });
    const name = text(LEFT + step * (place + 0.5), TOP + PLOT_HEIGHT + 20, label, "middle");
    return place % every === 0 ? [...parts, name] : parts;
  });
  return svg(title, TOP + PLOT_HEIGHT + 40, [...scale.grid, ...bars, ...legend(series)]);
}

/** A table of numbers, darker if they are larger. */
export function heatTable(
  title: string,
  rows: readonly string[],
  columns: readonly string[],
  value: (row: string, column: string) => number,
): string {
  const side = 110;
  const cellWidth = (WIDTH - side - 24) / columns.length;
  const cellHeight = 40;
  const largest = Math.max(...rows.flatMap((row) => columns.map((column) => value(row, column))));
  const heads = columns.map((column, place) =>
    text(side + cellWidth * (place + 0.5), TOP + 14, column, "middle"),
  );
  const cells = rows.flatMap((row, line) => {
    const top = TOP + 26 + line * cellHeight;
    return [
      text(side - 12, top + 25, row, "end"),
      ...columns.flatMap((column, place) => {
        const number = value(row, column);
        const share = largest === 0 ? 0 : number / largest;
        const left = side + cellWidth * place;
        const cell = `<rect x="${round(left)}" y="${top}" width="${round(cellWidth - 3)}" height="${cellHeight - 3}" rx="3" fill="${COLORS[0]}" fill-opacity="${round(0.06 + 0.94 * share)}"/>`;
        return [
          cell,
          text(left + cellWidth / 2, top + 24, String(number), "middle", share > 0.65 ? "#fff" : "#1f2937"),
        ];
      }),
    ];
  });
  return svg(title, TOP + 34 + rows.length * cellHeight, [...heads, ...cells]);
}

function scaleOf(values: readonly number[]) {
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((one) => (highest - lowest) / one <= 6) ?? 1000;
  const bottom = Math.floor(lowest / step) * step;
  const top = Math.max(Math.ceil(highest / step) * step, bottom + step);
  const y = (value: number) => TOP + (PLOT_HEIGHT * (top - value)) / (top - bottom);
  const grid: string[] = [];
  for (let value = bottom; value <= top; value += step) {
    const at = round(y(value));
    const stroke = value === 0 ? "#6b7280" : "#e5e7eb";
    grid.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="${stroke}"/>`);
    grid.push(text(LEFT - 8, at + 4, String(value), "end"));
  }
  return { y, grid };
}

const legend = (series: readonly Series[]): string[] =>
  series.flatMap(({ name }, number) => {
    const top = TOP + 8 + number * 24;
    return [
      rectangle(WIDTH - RIGHT + 16, top, 12, 12, color(number)),
      text(WIDTH - RIGHT + 34, top + 11, name, "start"),
    ];
  });

const svg = (title: string, height: number, parts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="Helvetica, Arial, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="26" font-size="15" font-weight="bold" fill="#111827">${escaped(title)}</text>`,
    ...parts,
    "</svg>\n",
  ].join("\n");

function text(
  x: number,
  y: number,
  content: string,
  anchor: "start" | "middle" | "end",
  fill = "#374151",
): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${fill}">${escaped(content)}</text>`;
}

const rectangle = (x: number, y: number, width: number, height: number, fill: string): string =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"/>`;

const color = (number: number): string => COLORS[number % COLORS.length]!;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const round = (value: number): number => Math.round(value * 100) / 100;
const escaped = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
