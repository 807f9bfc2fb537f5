import { describe, expect, it } from "vitest";
import type { Respondent } from "../../../../../connector/core/sync/respondents/respondent.ts";
import { Witness } from "../../../../../connector/core/sync/respondents/witness.ts";

const ANNA: Respondent = { key: "anna", uuid: "Anna", newest: undefined };
const BERT: Respondent = { key: "bert", uuid: "Bert", newest: undefined };

/** A witness, and whom it asks for again. `answers`: whether they are found then, by turns. */
function witnessOf(...answers: readonly boolean[]) {
  const asked: string[] = [];
  const witness: Witness = new Witness(async (somebody) => {
    asked.push(somebody.key);
    const sent = witness.now();
    await Promise.resolve();
    if (answers[asked.length - 1]) witness.found(somebody, sent);
  });
  return { witness, asked };
}

describe("somebody was found since a moment", () => {
  it("if the request that found them was sent after it: then nobody is asked for", async () => {
    const { witness, asked } = witnessOf();
    const since = witness.now();
    witness.found(ANNA, witness.now());
    expect([await witness.finds(since), asked]).toEqual([true, []]);
  });

  it("not if that request was sent before it, and only answered after it", async () => {
    const { witness, asked } = witnessOf();
    const sent = witness.now();
    const since = witness.now();
    witness.found(ANNA, sent);
    expect([await witness.finds(since), asked]).toEqual([false, ["anna", "anna"]]);
  });

  it("also if an earlier request is answered after theirs", async () => {
    const { witness } = witnessOf();
    const [early, since] = [witness.now(), witness.now()];
    witness.found(ANNA, witness.now());
    witness.found(BERT, early);
    expect(await witness.finds(since)).toBe(true);
  });
});

describe("if nobody was found since", () => {
  it("the one that was found last is asked for again", async () => {
    const { witness, asked } = witnessOf(true);
    for (const somebody of [ANNA, BERT]) witness.found(somebody, witness.now());
    expect([await witness.finds(witness.now()), asked]).toEqual([true, ["bert"]]);
  });

  it("all that are in doubt share one question", async () => {
    const { witness, asked } = witnessOf(true);
    witness.found(ANNA, witness.now());
    const moments = [witness.now(), witness.now(), witness.now()];
    const found = await Promise.all(moments.map((since) => witness.finds(since)));
    expect([found, asked.length]).toEqual([[true, true, true], 1]);
  });

  it("a question that was sent before the moment is followed by one more", async () => {
    const { witness, asked } = witnessOf(true, true);
    witness.found(ANNA, witness.now());
    const first = witness.finds(witness.now());
    const second = witness.finds(witness.now());
    expect([await first, await second, asked.length]).toEqual([true, true, 2]);
  });

  it("it is asked twice, and no more", async () => {
    const { witness, asked } = witnessOf(false, false, true);
    witness.found(ANNA, witness.now());
    expect([await witness.finds(witness.now()), asked.length]).toEqual([false, 2]);
  });

  it("and nobody was ever found, there is nobody to ask for", async () => {
    const { witness, asked } = witnessOf(true);
    expect([await witness.finds(witness.now()), asked, witness.hasFound]).toEqual([false, [], false]);
    witness.found(ANNA, witness.now());
    expect(witness.hasFound).toBe(true);
  });
});
