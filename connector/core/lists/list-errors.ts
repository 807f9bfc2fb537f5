import type { Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import type { UnreadableItem } from "./item.ts";

/** The errors of a list whose rest goes on. `list` names it, e.g. `survey "s1"`. */

/** No link and no request of our own gets past `timestamp`. */
export function stuckAt(list: string, timestamp: Timestamp | undefined): SurveyExportError {
  return new SurveyExportError(
    "system",
    "stuck",
    timestamp === undefined
      ? `The list of ${list} could not be read: its pages bring nothing new and their links lead in a circle.`
      : `The list of ${list} cannot be read at ${timestamp}: the link to the next page does not get past that timestamp, as happens when more responses share it than fit on a page.`,
    {
      advice:
        timestamp === undefined
          ? "The next sync tries again. Report this to the service."
          : "Older responses were read; the next sync tries that timestamp again. Report this to the service.",
    },
  );
}

/** The walk ends above its own end. */
export function endedEarly(list: string, timestamp: Timestamp | undefined): SurveyExportError {
  return new SurveyExportError(
    "system",
    "stuck",
    `The list of ${list} could not be read ${
      timestamp === undefined ? "from its beginning" : `below ${timestamp}`
    }: its pages bring nothing new.`,
    { advice: "The next sync tries again from there. Report this to the service." },
  );
}

/** Two neighbours of a page stand in the wrong order. */
export function outOfOrder(list: string, before: Timestamp, timestamp: Timestamp): SurveyExportError {
  return new SurveyExportError(
    "system",
    "broken_answer",
    `The list of ${list} is not sorted from newest to oldest: ${timestamp} comes after ${before}.`,
    {
      advice:
        "Everything on that page was delivered; the next sync reads the range between the two again. Report this to the service.",
    },
  );
}

export function unreadableItem(
  list: string,
  { uuid, reason }: UnreadableItem,
  after: Timestamp | undefined,
): SurveyExportError {
  return new SurveyExportError(
    "system",
    "unreadable_item",
    `The list of ${list} holds an item that cannot be read ${
      after === undefined ? "at its beginning" : `after ${after}`
    }${uuid === undefined ? "" : ` (${quote(uuid)})`}: ${reason}.`,
    { advice: "It was left out, and the next sync reads its range again. Report this to the service." },
  );
}

/** Lists of services that leave items out after they have cut their pages look like this. */
export function emptyPage(list: string, after: Timestamp | undefined): string {
  return `The list of ${list} holds an empty page that says there is more${
    after === undefined ? "" : `, after ${after}`
  }. Reading goes on after it; the next sync asks again for the range that it may hide.`;
}

export function endsWithEmptyPage(list: string, after: Timestamp | undefined): string {
  return `The list of ${list} ends with an empty page that says there is more, twice, and leads nowhere${
    after === undefined ? "" : ` (after ${after})`
  }. Reading ends there.`;
}
