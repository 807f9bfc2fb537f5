import { expect, it } from "vitest";
import { People } from "../../../../connector/core/sync/people.ts";
import { HELD_ALL, HELD_NOTHING } from "../../../../connector/core/sync/people-read.ts";
import { at } from "../coverage/support/timestamps.ts";

const UPPER = "00000000-0000-4000-8000-00000000000A";

it("people come in the order in which they were found, however many they are", () => {
  const people = new People();
  const names = Array.from({ length: 3000 }, (_, number) => `p${number}`);
  for (const name of names) people.add(name, false);
  expect(people.waiting).toBe(3000);
  const taken = names.map((_, number) => {
    const person = people.next();
    expect(people.waiting).toBe(2999 - number);
    return person?.spelling;
  });
  expect(taken).toEqual(names);
  expect([people.next(), people.waiting]).toEqual([undefined, 0]);
});

it("of each further page, the first who still waits can be taken", () => {
  const people = new People();
  for (const name of ["a", "b", "c"]) {
    people.nextPage();
    people.add(`${name}1`, false);
    people.add(`${name}2`, false);
  }
  expect(people.next()?.spelling).toBe("a1");
  expect(people.nextAfter(0)?.spelling).toBe("a2");
  expect(people.nextAfter(1)?.spelling).toBe("b1");
  expect(people.nextAfter(2)).toMatchObject({ spelling: "c1", page: 3 });
  expect(people.nextAfter(3)).toBeUndefined();
  expect([people.next()?.spelling, people.next()?.spelling, people.next()]).toEqual(["b2", "c2", undefined]);
});

it("who is found waits, asked for by nobody yet, under one name for both spellings of a UUID", () => {
  const people = new People();
  const person = people.add(UPPER, true);
  expect(person).toMatchObject({
    ...{ key: UPPER.toLowerCase(), spelling: UPPER, leads: [], waits: [], state: "waiting", doubts: [] },
    ...{ page: 0, isRetry: true, notFoundAtMs: 0, isAskedTwice: false },
  });
  expect(people.find(UPPER.toLowerCase())).toBe(person);
  expect(people.find("somebody else")).toBeUndefined();
});

it("who was read is known by what the list held, and waits no longer", () => {
  const people = new People();
  expect([people.isRead(UPPER), people.held(UPPER, at(5))]).toEqual([false, undefined]);
  people.done(people.add(UPPER, false), HELD_ALL);
  people.done(people.add("bert", false), HELD_NOTHING);
  expect([people.isRead(UPPER), people.held(UPPER, at(5)), people.find(UPPER)]).toEqual([
    true,
    true,
    undefined,
  ]);
  expect([people.isRead("bert"), people.held("bert", at(5))]).toEqual([true, false]);
});
