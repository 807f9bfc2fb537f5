import type { Choices } from "../choices.ts";
import { cursorParameter, type ListQuery } from "./query.ts";

/**
 * `next_url` as the service hands it out: the request's own path below the base URL and its query, with
 * another `start` and, in services of that kind, an exact place.
 */
export function linkTo(
  path: string,
  query: ListQuery,
  start: string | undefined,
  cursor: string | undefined,
  choices: Choices,
): string {
  const pairs: (readonly [string, string | undefined])[] = [
    ["start", start],
    ["end", query.end],
    ["items_per_page", query.itemsPerPage?.toString()],
    ...query.attributes.map((name): [string, string] => ["attributes[]", name]),
    ...query.kept,
    [cursorParameter, cursor],
  ];
  const text = pairs
    .filter((pair): pair is readonly [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${encode(name, choices)}=${encode(value, choices)}`)
    .join("&");
  const from = choices.linkSlash === "none" ? path.slice(1) : path;
  return text === "" ? from : `${from}?${text}`;
}

function encode(text: string, choices: Choices): string {
  const encoded = encodeURIComponent(text);
  if (choices.linkEncoding === "percent") return encoded;
  return encoded.replaceAll("%3A", ":").replaceAll("%5B", "[").replaceAll("%5D", "]");
}
