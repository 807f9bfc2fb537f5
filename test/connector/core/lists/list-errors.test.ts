import { expect, it } from "vitest";
import { UnreadableItem } from "../../../../connector/core/lists/item.ts";
import {
  emptyPage,
  endedEarly,
  endsWithEmptyPage,
  outOfOrder,
  stuckAt,
  unreadableItem,
} from "../../../../connector/core/lists/list-errors.ts";
import { given, render, say } from "../../../../connector/core/text/message.ts";
import { at } from "../coverage/support/timestamps.ts";

const LIST = say`survey ${given("s")}`;
const nameless = new UnreadableItem(undefined, say`it is odd`);

it.each([
  [
    () => stuckAt(LIST, undefined),
    "stuck",
    "could not be read: its pages bring nothing new and their links lead in a circle. The next sync tries again. Report this to the service.",
  ],
  [
    () => stuckAt(LIST, at(5)),
    "stuck",
    `cannot be read at ${at(5)}: the link to the next page does not get past that timestamp, as happens when more responses share it than fit on a page. Older responses were read; the next sync tries that timestamp again. Report this to the service.`,
  ],
  [
    () => endedEarly(LIST, undefined),
    "stuck",
    "could not be read from its beginning: its pages bring nothing new. The next sync tries again from there. Report this to the service.",
  ],
  [
    () => endedEarly(LIST, at(5)),
    "stuck",
    `could not be read below ${at(5)}: its pages bring nothing new. The next sync tries again from there. Report this to the service.`,
  ],
  [
    () => outOfOrder(LIST, at(5), at(7)),
    "broken_answer",
    `is not sorted from newest to oldest: ${at(7)} comes after ${at(5)}. Everything on that page was delivered; the next sync reads the range between the two again. Report this to the service.`,
  ],
  [
    () => unreadableItem(LIST, nameless, undefined),
    "unreadable_item",
    "holds an item that cannot be read at its beginning: it is odd. What cannot be read was left out, and the next sync reads its range again. Report this to the service.",
  ],
  [
    () => unreadableItem(LIST, new UnreadableItem("r", say`it is odd`), at(5)),
    "unreadable_item",
    `holds an item that cannot be read after ${at(5)} ("r"): it is odd. What cannot be read was left out, and the next sync reads its range again. Report this to the service.`,
  ],
])("an error of a list says what happened, where, and what to do: %#", (make, code, sentences) => {
  expect(make()).toMatchObject({ kind: "system", code, message: `The list of survey "s" ${sentences}` });
});

it.each([
  [() => emptyPage(LIST, undefined), "holds an empty page that says there is more. Reading goes on"],
  [
    () => emptyPage(LIST, at(5)),
    `holds an empty page that says there is more, after ${at(5)}. Reading goes on`,
  ],
  [
    () => endsWithEmptyPage(LIST, undefined),
    "ends with an empty page that says there is more, twice, and leads nowhere. Reading",
  ],
  [
    () => endsWithEmptyPage(LIST, at(5)),
    `ends with an empty page that says there is more, twice, and leads nowhere (after ${at(5)}). Reading`,
  ],
])("a warning of a list says where, if something came before: %#", (make, sentence) => {
  expect(render(make())).toContain(`The list of survey "s" ${sentence}`);
});
