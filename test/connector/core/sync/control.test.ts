import { describe, expect, it } from "vitest";
import {
  allNameless,
  Control,
  foundNobody,
  listsLackResponses,
} from "../../../../connector/core/sync/control.ts";

/** A control after this many failures in a row; `good`: whose list was good before. */
function controlAfter(failures: number, good?: string): Control {
  const control = new Control();
  if (good !== undefined) control.good(good);
  for (let count = 0; count < failures; count++) control.failed();
  return control;
}

const modeOf = ({ isDue, isTrying, isGivenUp }: Control): unknown => ({ isDue, isTrying, isGivenUp });
const READING = { isDue: false, isTrying: false, isGivenUp: false };

describe("if people's lists fail", () => {
  it("nine in a row are no reason to ask for somebody else", () => {
    expect(modeOf(controlAfter(9))).toEqual(READING);
    expect(modeOf(controlAfter(9, "ann"))).toEqual(READING);
  });

  it("ten in a row are one to ask for the control, the last whose list was good", () => {
    const control = controlAfter(3, "ann");
    control.good("bob");
    for (let count = 0; count < 10; count++) control.failed();
    expect(control.uuid).toBe("bob");
    expect(modeOf(control)).toEqual({ ...READING, isDue: true });
  });

  it("reading goes on if the control is good, and ten others must fail before it is asked for again", () => {
    const control = controlAfter(10, "ann");
    control.good("ann");
    expect(modeOf(control)).toEqual(READING);
    for (let count = 0; count < 9; count++) control.failed();
    expect(modeOf(control)).toEqual(READING);
    control.failed();
    expect(control.isDue).toBe(true);
  });

  it("the stream is given up if the control is not good", () => {
    const control = controlAfter(10, "ann");
    control.wasBad();
    expect(modeOf(control)).toEqual({ ...READING, isGivenUp: true });
  });

  it("requests that were under way when the control became due change nothing", () => {
    const control = controlAfter(15, "ann");
    expect(control.isDue).toBe(true);
    control.good("bob");
    expect(modeOf(control)).toEqual(READING);
  });

  it("a control that is not good tells nothing if it was asked for another reason", () => {
    const control = controlAfter(3, "ann");
    control.wasBad();
    expect(modeOf(control)).toEqual(READING);
  });
});

describe("if nobody's list was good yet", () => {
  it("twenty others are tried after ten failures, then the stream is given up", () => {
    const control = controlAfter(10);
    for (let tries = 0; tries < 20; tries++) {
      expect(modeOf(control)).toEqual({ ...READING, isTrying: true });
      control.failed();
    }
    expect(modeOf(control)).toEqual({ ...READING, isGivenUp: true });
    expect(control.failures).toBe(30);
  });

  it("one whose list is good ends the tries", () => {
    const control = controlAfter(29);
    control.good("ann");
    expect(modeOf(control)).toEqual(READING);
    expect(control.failures).toBe(0);
  });
});

it("a stream that was given up stays so", () => {
  const control = controlAfter(30);
  control.good("ann");
  control.failed();
  expect(modeOf(control)).toEqual({ ...READING, isGivenUp: true });
});

it("what looks like an outage is transient, and the error says that the next sync goes on", () => {
  const message = expect.stringContaining("The next sync asks for them again.");
  for (const error of [foundNobody(10), listsLackResponses(6, 4)])
    expect(error).toMatchObject({ kind: "transient", code: "unavailable", message });
});

it("responses that all name nobody are a broken answer, and the error says how to read them again", () => {
  const message = expect.stringContaining("clear this stream's state to read them again");
  expect(allNameless(10)).toMatchObject({ kind: "system", code: "broken_answer", message });
});
