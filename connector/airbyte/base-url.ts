import { type BaseUrlProblem, parseBaseUrl } from "@survey-export/core";
import type { Checked } from "./configured-field.ts";

const EXAMPLE = "https://api.example.com/v2";

const FAULTS: Readonly<Record<BaseUrlProblem, string>> = {
  not_http: `is not an http or https address. Write it like ${EXAMPLE}.`,
  holds_credentials: "holds a user name or a password. Leave them out: the key goes into api_key.",
  holds_query: `holds a query or a fragment. End it with /v2, like ${EXAMPLE}.`,
  no_version: `does not end in /v2. Write it with the version, like ${EXAMPLE}.`,
  plain_http:
    "uses plain http, which would show the key to everyone on the way. Use https. Plain http is accepted only for this machine, a private address, a name without dots, .local and .internal.",
};

/** The configured address in the form of the core, or what is wrong with it. */
export function checkBaseUrl(text: string): Checked<string> {
  if (/\s/.test(text)) {
    return { fault: `holds a space or a line break. Remove it, and write the address like ${EXAMPLE}.` };
  }
  const port = /^https?:\/\/[^/?#]*:(\d{1,9})(?:[/?#]|$)/i.exec(text)?.[1];
  if (Number(port) > 65_535) return { fault: "has a port above 65535. Correct the port." };
  const parsed = parseBaseUrl(text);
  return "baseUrl" in parsed ? { value: parsed.baseUrl } : { fault: FAULTS[parsed.problem] };
}
