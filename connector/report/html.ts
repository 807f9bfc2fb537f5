/** Markup that is safe to put into a page. Only `html` makes it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Piece = Html | readonly Html[] | string | number;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * A template of markup. Every text and number in it is escaped, whoever wrote it, so that no character of it means anything.
 * Only other templates stay as they are.
 */
export function html(words: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const texts = words.map((text, at) => text + (at < pieces.length ? markupOf(pieces[at] as Piece) : ""));
  return new Html(texts.join(""));
}

function markupOf(piece: Piece): string {
  if (piece instanceof Html) return piece.markup;
  if (typeof piece === "object") return piece.map(({ markup }) => markup).join("");
  return String(piece).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

export const NOTHING = html``;

/** A text that somebody wrote, with the direction of its own script. */
export const ownWords = (text: string): Html => html`<span dir="auto">${text}</span>`;
