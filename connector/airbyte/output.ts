/**
 * Where the messages go. Resolves when the text has been taken whole and the reader is ready for more, so that
 * a slow destination slows the requests; rejects when nobody reads any more.
 */
export interface Output {
  write(lines: string): Promise<void>;
}

/** Shorter keys would blank words, and no service hands out any. */
const SHORTEST_SECRET = 8;
/** Of what the service said, in characters. */
const LONGEST_EXCERPT = 160;
/** So much of a long secret is looked for; what follows it without a blank or a quote goes too. */
const LONGEST_PATTERN = 500;

/**
 * The same output, with `secret` blanked wherever it would appear in what we say ourselves: nothing should ever put
 * it there but a service that quotes it, and if something did after all, it would stay in the platform's logs for
 * good. Found in quotes within quotes, in addresses, and where an excerpt ends in the middle of it. Records and
 * states are the user's data and pass untouched.
 */
export function withoutSecret(output: Output, secret: string): Output {
  if (secret.length < SHORTEST_SECRET) return output;
  const pattern = patternOf(secret);
  const blank = (line: string): string => (isData(line) ? line : line.replace(pattern, "****"));
  return {
    write: (lines) => output.write(isAllData(lines) ? lines : lines.split("\n").map(blank).join("\n")),
  };
}

const isData = (line: string): boolean => /^\{"type":"(RECORD|STATE)"/.test(line);
const isAllData = (lines: string): boolean => isData(lines) && !/\n\{"type":"(?!RECORD|STATE)/.test(lines);

/** The secret as it is, quoted any number of times, percent-encoded, or cut short by an ellipsis. */
function patternOf(secret: string): RegExp {
  const characters = [...secret.slice(0, LONGEST_PATTERN)].map((character) => {
    const literal = character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
    const encoded = `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
    return character === "\\" ? `(?:\\\\+|${encoded})` : `(?:\\\\*${literal}|${encoded})`;
  });
  const certain = characters.slice(0, SHORTEST_SECRET).join("");
  const rest = characters.slice(SHORTEST_SECRET);
  const anyOfTheRest = rest
    .slice(0, LONGEST_EXCERPT)
    .reduceRight((inner, character) => `(?:${character}${inner})?`, "");
  const beyond = secret.length > LONGEST_PATTERN ? '[^\\s"]*' : "";
  return new RegExp(`${certain}(?:${rest.join("")}${beyond}|${anyOfTheRest}(?=…))`, "gi");
}
