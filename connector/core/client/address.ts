import type { SurveyExportError } from "../errors.ts";
import { isAbsolute, refusedLink } from "../lists/link.ts";
import { say } from "../text/message.ts";

/** Why an address cannot be the base URL; each adapter has its own sentence for each. */
export type BaseUrlProblem = "not_http" | "holds_credentials" | "holds_query" | "no_version" | "plain_http";

/**
 * The address under which every request goes: http or https, no credentials, no query, no fragment, ending in `/v2`
 * without a slash after it. Its own path is kept, because links are joined to it byte for byte (S2).
 *
 * The API key travels in a header, so plain http is accepted only if it stays within the user's own network.
 */
export function parseBaseUrl(
  text: string,
): { readonly baseUrl: string } | { readonly problem: BaseUrlProblem } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return { problem: "not_http" };
  }
  if (url.username !== "" || url.password !== "") return { problem: "holds_credentials" };
  if (/[?#]/.test(text)) return { problem: "holds_query" };
  const path = url.pathname.replace(/\/$/, "");
  if (!path.endsWith("/v2")) return { problem: "no_version" };
  if (url.protocol === "http:" && !isPrivateHost(url.hostname)) return { problem: "plain_http" };
  return { baseUrl: url.origin + path };
}

/** Whether a host, as `URL` writes it, is this machine or one on a private network. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "");
  if (host.startsWith("[")) return /^\[(::1\]|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/.test(host);
  const address = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (address === null) return !host.includes(".") || /\.(local|internal|localhost)$/.test(host);
  const [first, second] = [Number(address[1]), Number(address[2])];
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 192) return second === 168;
  return first === 10 || first === 127 || (first === 169 && second === 254);
}

/**
 * The address of `{base_url}` + `path`, as the service gave it (S2). A link is not trusted: the host adds the API key
 * to every request, so a path that could leave the base URL's host or path is refused before a request is made. The
 * URL is parsed only to check it, never to rebuild it; only characters that no request line can carry (spaces,
 * non-ASCII) are percent-encoded.
 * @returns for such a path the error `refused_link`
 */
export function addressOf(baseUrl: string, path: string): string | SurveyExportError {
  const base = baseUrl.replace(/\/$/, "");
  const address = `${base}${path.startsWith("/") ? "" : "/"}${encodeIllegal(path)}`;
  return isBelow(base, path, address) ? address : refusedLink(path, say`leaves the service's address`);
}

/** A backslash is a slash to some readers, and a `#` ends what is sent. */
const FORBIDDEN = /[\\#\p{Cc}\p{Cs}]/u;
/** A server may decode a path before it resolves `..`. */
const DOT_SEGMENT = /(^|\/|%2f|%5c)(\.|%2e){1,2}($|\/|%2f|%5c)/i;

function isBelow(base: string, path: string, address: string): boolean {
  const [pathname = ""] = path.split("?", 1);
  if (FORBIDDEN.test(path) || isAbsolute(path) || DOT_SEGMENT.test(pathname)) return false;
  if (!URL.canParse(address)) return false;
  const [from, to] = [new URL(base), new URL(address)];
  return to.origin === from.origin && to.pathname.startsWith(`${from.pathname}/`);
}

function encodeIllegal(path: string): string {
  return /^[\x21-\x7e]*$/.test(path)
    ? path
    : path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}
