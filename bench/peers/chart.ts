import type { Scenario } from "./scenarios.ts";

const COLOURS = ["#2563eb", "#d97706", "#6b7280"];
const WIDTH = 760;
const LEFT = 220;
const BAR = 16;

/** The wall times as bars, a group for each scenario. Each group has a scale of its own, since they differ a lot. */
export function chart(scenarios: readonly Scenario[]): string {
  const names = [...(scenarios[0]?.results.keys() ?? [])];
  const groupHeight = names.length * (BAR + 4) + 18;
  const top = 40;
  const height = top + scenarios.length * groupHeight;
  const legend = names.map(
    (name, at) =>
      `<rect x="${16 + at * 230}" y="12" width="12" height="12" fill="${COLOURS[at]}"/><text x="${34 + at * 230}" y="22">${escaped(name)}</text>`,
  );
  const groups = scenarios.map(({ name, results }, group) => {
    const y = top + group * groupHeight;
    const seconds = [...results.values()].map((result) => result.wallSeconds);
    const longest = Math.max(...seconds);
    const bars = seconds.map((value, at) => {
      const barY = y + at * (BAR + 4);
      const width = Math.max(1, (value / longest) * (WIDTH - LEFT - 80));
      return `<rect x="${LEFT}" y="${barY}" width="${width.toFixed(1)}" height="${BAR}" fill="${COLOURS[at]}"/><text x="${(LEFT + width + 6).toFixed(1)}" y="${barY + 12}">${value.toFixed(1)} s</text>`;
    });
    return `<text x="${LEFT - 10}" y="${y + 12}" text-anchor="end">${escaped(name)}</text>${bars.join("")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12" fill="#6b7280" role="img" aria-label="Wall time of each reader in each scenario">
<title>Wall time of each reader in each scenario</title>
${[...legend, ...groups].join("\n")}
</svg>
`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
