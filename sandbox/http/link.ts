import type { Choices } from "../choices.ts";
import { CURSOR_PARAMETER, type ListQuery } from "./query.ts";

/**
 * The `next_url` of a page: the request's path below the base URL and its query, with another `start` and, in
 * some dialects, an exact position.
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
    [CURSOR_PARAMETER, cursor],
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
