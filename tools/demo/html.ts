const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML or as an attribute in quotes: no character of it means anything. */
export const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (one) => NAMES[one]!);

/** A table of texts and numbers. The first cell of each row names it. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const head = heads.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join("");
  const body = rows.map(
    ([name, ...cells]) =>
      `<tr><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`,
  );
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}
