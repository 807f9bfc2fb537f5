import { expect, it } from "vitest";
import { type Moment, remainingMs } from "../../../connector/airbyte/remaining-time.ts";

const moment = (atS: number, requests: number, responses: number, waiting: number): Moment => ({
  atMs: atS * 1000,
  requests,
  responses,
  waiting,
});
const START = moment(0, 0, 0, 0);

it.each<[string, Moment, Moment, number, number | undefined]>([
  ["nothing came", START, moment(60, 30, 0, 0), 1000, undefined],
  ["it has only begun", START, moment(5, 50, 500, 0), 1000, undefined],
  ["there were too few requests", START, moment(60, 5, 500, 0), 1000, undefined],
  ["pages alone are read: 1 request for 100 responses", START, moment(60, 60, 6000, 0), 12_000, 60],
  ["it waits for people, too", START, moment(60, 60, 6000, 90), 6000, 90],
  ["each response is another respondent's", START, moment(60, 606, 1000, 404), 2000, 140],
  [
    "the same people answer again, whatever the first pages were like",
    moment(60, 900, 1000, 110),
    moment(120, 1080, 7000, 0),
    13_000,
    23,
  ],
  ["a minute's requests were sent at once: the limit counts", START, moment(10, 900, 9000, 0), 18_000, 60],
  ["there are more responses than the service counts", START, moment(60, 60, 6000, 15), 5000, 15],
  ["everything was read", START, moment(60, 60, 6000, 0), 6000, 0],
])("if %s, so many seconds are left", (_, before, now, about, seconds) => {
  const leftMs = remainingMs(before, now, about, 900);
  expect(leftMs === undefined ? undefined : Math.round(leftMs / 1000)).toBe(seconds);
});
