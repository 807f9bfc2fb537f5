import type { Checked } from "./checked.ts";

const example = "https://api.example.com/v2";

/**
 * The address under which every request goes: http or https, no credentials, no query, no fragment, ending
 * in `/v2` without a slash behind it. Its own path is kept, because links are joined to it byte for byte.
 *
 * The key travels in a header, so plain http is taken only where it stays within the user's own network.
 */
export function checkBaseUrl(text: string): Checked<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return { fault: `base_url is not an http or https address. Write it like ${example}.` };
  }
  if (url.username !== "" || url.password !== "") {
    return { fault: "base_url holds a user name or a password. Leave them out: the key goes into api_key." };
  }
  if (/[?#]/.test(text)) {
    return { fault: `base_url holds a query or a fragment. End it with /v2, like ${example}.` };
  }
  const path = url.pathname.replace(/\/$/, "");
  if (!path.endsWith("/v2")) {
    return { fault: `base_url does not end in /v2. Write it with the version, like ${example}.` };
  }
  if (url.protocol === "http:" && !staysInside(url.hostname)) {
    return {
      fault:
        "base_url uses plain http, which would show the key to everyone on the way. Use https. Plain http is " +
        "taken only for this machine, a private address, a name without dots, .local and .internal.",
    };
  }
  return { value: url.origin + path };
}

/** Whether a host, as `URL` writes it, is this machine or one of the user's own network. */
function staysInside(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "");
  if (host.startsWith("[")) return /^\[(::1\]|f[cd]|fe[89ab][0-9a-f]:)/.test(host);
  const address = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (address !== null) {
    const [first, second] = [Number(address[1]), Number(address[2])];
    if (first === 172) return second >= 16 && second <= 31;
    return (
      first === 10 || first === 127 || (first === 192 && second === 168) || (first === 169 && second === 254)
    );
  }
  return !host.includes(".") || /\.(local|internal|localhost)$/.test(host);
}
