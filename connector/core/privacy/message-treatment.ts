import { quote } from "../text/quote.ts";
import { isUuid, UUID_PATTERN } from "../text/uuid.ts";
import type { ValueTreatment } from "./value-treatment.ts";

const HIDDEN = "…";
/** A request; a quotation with the word before it; a UUID. */
const FROM_OUTSIDE = new RegExp(
  `GET (/respondents/[^/\\s]+|/[^\\s?)]*)(/[^\\s?)]*)?(\\?[^\\s)]*)?|((?:respondent|response|survey)(?: id)? )?"((?:[^"\\\\]|\\\\.)*)"|${UUID_PATTERN}`,
  "gi",
);
/** The reason may hold sentences of any kind, so it reaches to the end, or to the advice there. */
const DEFECT = /(An unexpected error stopped the \w+: ).*?(\. Please report it with the lines above)?\.?$/s;

/**
 * Messages without what the service sent. Everything from outside stands in a message as a quotation (`quote`) or in
 * the path of a request, so these are hidden, except for `names`. A respondent is shown as records show them. The reason
 * of a defect is hidden whole, since other programs wrote it.
 */
export function createMessageTreatment(
  values: ValueTreatment,
): (text: string, names: readonly string[]) => string {
  const identifiers = values.handlingOf("respondent_identifiers");
  const respondent = (id: string): string => {
    if (identifiers === "keep") return id;
    return identifiers === "hash" && isUuid(id) ? values.hash(id) : HIDDEN;
  };
  return (text, names) => {
    const shown = new Set(names.map((name) => quote(name)));
    const show = (
      match: string,
      list: string | undefined,
      rest: string | undefined,
      query: string | undefined,
      before: string | undefined,
      quoted: string | undefined,
    ): string => {
      if (list !== undefined) {
        const [, id] = /^\/respondents\/(.+)$/.exec(list) ?? [];
        const path = id === undefined ? list : `/respondents/${respondent(id)}`;
        return `GET ${path}${rest ?? ""}${query === undefined ? "" : `?${HIDDEN}`}`;
      }
      if (quoted === undefined) return names.includes(match) ? match : respondent(match);
      if (/^respondent/i.test(before ?? "")) return `${before}"${respondent(quoted)}"`;
      // Surveys are read by the ids of the configuration.
      const isKnown = before !== undefined && (/^survey/i.test(before) || isUuid(quoted));
      return isKnown || shown.has(`"${quoted}"`) ? match : `${before ?? ""}"${HIDDEN}"`;
    };
    return withoutReasons(text).replace(FROM_OUTSIDE, show as (match: string) => string);
  };
}

/** Of a stack trace, the places only: its first lines repeat the reason. */
function withoutReasons(text: string): string {
  const places = text.split("\n").filter((line) => /^\s+at /.test(line));
  return places.length > 0 ? places.join("\n") : text.replace(DEFECT, `$1${HIDDEN}$2.`);
}
