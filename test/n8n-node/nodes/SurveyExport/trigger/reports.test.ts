import { describe, expect, test, vi } from "vitest";
import { errorOf } from "../../../support/set-up.ts";
import { respondent, startWatching } from "../../../support/watching.ts";

const at = await startWatching();

describe("surveys that cannot be read", () => {
  test("one does not hold up the others, and is reported once a day", async () => {
    const surveyIds = "1, 2";
    await at.poll({ surveyIds });
    at.service.remove({ surveys: ["2"] });
    const fresh = at.collect("1", 1);
    const { ids, messages } = await at.poll({ surveyIds });
    expect([ids, messages]).toEqual([fresh, ['Survey "2" was not found']]);
    expect(await at.poll({ surveyIds })).toMatchObject({ ids: null, messages: [] });
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 24 * 3_600_000);
    const nextDay = await at.poll({ surveyIds });
    now.mockRestore();
    expect(nextDay.reported).toHaveLength(1);
  });

  test("when none can be read, the poll fails, with the cause that n8n backs off by", async () => {
    const surveyIds = "1, 2";
    await at.poll({ surveyIds });
    at.service.remove({ surveys: ["1", "2"] });
    const error = await errorOf(at.poll({ surveyIds }));
    expect(error).toMatchObject({
      message: 'Survey "1" was not found',
      httpCode: "404",
      failure: { cause: "configuration-invalid" },
    });
    expect(error.description).toMatch(/These surveys could not be read either: "2"\.$/);
  });

  test("several are all named", async () => {
    await at.poll();
    at.collect("1", 1);
    // Somebody has pasted the key.
    const { reported } = await at.poll({ surveyIds: `1, 98, 99, ${at.sandbox.apiKey}` });
    expect(reported[0]!.message).toBe('Survey "98" was not found');
    expect(reported[0]!.description).toMatch(/These surveys could not be read either: "99", "\*{4}"\.$/);
  });

  test("activation is refused when one is not found, and that is reported once", async () => {
    const reported: Error[] = [];
    await expect(at.poll({ surveyIds: "1, 99" }, { reported })).rejects.toThrow('Survey "99" was not found');
    expect(reported).toEqual([]);
  });

  test("one that was never there is reported once when the activation has passed beside it", async () => {
    await at.poll();
    at.collect("1", 1);
    const surveyIds = "1, nowhere";
    const first = await at.poll({ surveyIds });
    expect([first.ids?.length, first.reported.length]).toEqual([1, 1]);
    expect(await at.poll({ surveyIds })).toMatchObject({ ids: null, reported: [] });
  });
});

test("a response that cannot be read is reported once, and the others start the workflow", async () => {
  await at.poll();
  at.collect("1", 3);
  const reply = { kind: "items", which: "first", drop: ["uuid"] } as const;
  at.service.addFaults({ on: "survey_responses", reply });
  const { ids, messages } = await at.poll();
  expect([ids?.length, messages]).toEqual([2, ["The service sent something that cannot be read"]]);
  expect(await at.poll()).toMatchObject({ ids: null, reported: [] });
});

test("a backlog that stays for ten polls is reported once, and a burst is not", async () => {
  const reports: (string | null | undefined)[][] = [];
  const pollTwo = async () => {
    const { ids, reported } = await at.poll({ options: { mostPerPoll: 2 } });
    reports.push(...reported.map(({ message, description }) => [message, description]));
    return ids?.length ?? 0;
  };
  await pollTwo();
  at.collect("1", 18);
  while ((await pollTwo()) > 0);
  expect(reports).toEqual([]);
  at.collect("1", 30);
  for (let polls = 0; polls < 12; polls++) expect(await pollTwo()).toBe(2);
  expect(reports).toEqual([
    [
      "More responses are waiting than the trigger may hand over",
      expect.stringMatching(/^The last 10 polls each handed over 2 responses, and others are waiting\./),
    ],
  ]);
});

describe("a respondent", () => {
  const options = { respondentAttributes: true };
  const both = { surveyIds: "1, 2", options };

  test("who cannot be read holds back their own responses only, and is named", async () => {
    await at.poll(both);
    const ofFirst = at.answered("1", [1, 2, 3]);
    const ofSecond = at.answered("2", [4]);
    at.service.addFaults(at.refusing(2));
    const { ids, reported } = await at.poll(both);
    expect(ids).toEqual([ofFirst[0], ofFirst[2], ...ofSecond]);
    expect(reported[0]!.message).toBe(`The attributes of respondent "${respondent(2)}" could not be read`);
    expect(reported[0]!.description).toMatch(
      /^The service refuses access with this API key\. .* turn off "Include Respondent Attributes"\.$/,
    );
    expect(await at.poll(both)).toMatchObject({ ids: null, reported: [] });
    at.service.clearFaults();
    expect((await at.poll(both)).ids).toEqual([ofFirst[1]]);
  });

  test("is not named if identifiers are to be left out", async () => {
    const parameters = { options: { ...options, omitPersonalData: ["respondent_identifiers"] } };
    await at.poll(parameters);
    at.answered("1", [1]);
    at.service.addFaults(at.refusing(1));
    const [error] = (await at.poll(parameters)).reported;
    expect(error!.message).toBe('The attributes of respondent "…" could not be read');
    expect(error!.description).toContain('turn off "Include Respondent Attributes"');
    expect(JSON.stringify([error!.message, error!.description, at.memory])).not.toContain(respondent(1));
  });

  test("who does not answer is named, and what was read of other surveys is remembered", async () => {
    await at.poll({ options });
    const [waiting] = at.collect("1", 1);
    at.service.addFaults({ on: "respondent_attributes", reply: { kind: "delay", ms: 5_000 } });
    const { ids, messages, reported } = await at.poll(both, { budgetMs: 2_500 });
    expect(ids).toBeNull();
    expect(messages).toEqual([
      expect.stringMatching(/^The attributes of respondent "[0-9a-f-]{36}" could not be read$/),
    ]);
    expect(reported[0]!.description).toContain("no complete response within 1 s");
    at.service.clearFaults();
    const [fresh] = at.collect("2", 1);
    const next = await at.poll(both, { budgetMs: 2_500 });
    expect(next.ids!.toSorted()).toEqual([waiting, fresh].sort());
  });
});
