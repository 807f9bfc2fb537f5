import type { HttpResponse, Transport } from "@survey-export/core";
import { describe, expect, it, vi } from "vitest";
import { Written } from "../connector/airbyte/support/written.ts";
import { createSimulatedClock } from "../model/support/clock.ts";

/**
 * A service that puts planted words into whatever a message could quote: whatever our sentences say, none of the words
 * leaves when every kind is omitted. Run twice: with our sentences as they are, and with every one reworded.
 */
const reworded = vi.hoisted(() => ({ isOn: false }));
vi.mock(import("../../connector/core/text/message.ts"), async (importOriginal) => {
  const original = await importOriginal();
  const upper = (message: InstanceType<typeof original.Message>) =>
    new original.Message(
      message.parts.map((part) => (part.kind === "words" ? original.fixed(part.text.toUpperCase()) : part)),
    );
  return {
    ...original,
    render: (message, rendering) => original.render(reworded.isOn ? upper(message) : message, rendering),
  } as typeof original;
});

const { check } = await import("../../connector/airbyte/check.ts");
const { read } = await import("../../connector/airbyte/read.ts");
const { Progress } = await import("../../connector/airbyte/progress.ts");

const WORD = "wilma@mail.example";
/** Our own sentences, with the word in place of a reason, an id or a quotation. */
const TEXTS = [
  WORD,
  `An unexpected error stopped the request: ${WORD}. Please report it with the lines above.`,
  `Survey "${WORD}" was not found (status 404).`,
  `". GET /surveys/${WORD}/responses (status 404). "`,
  `respondent "00000000-0000-4000-8000-00000000000a" ${WORD}\\`,
];
const page = (items: unknown[], next?: string): string =>
  JSON.stringify({
    data: items,
    pagination_data: { has_more: next !== undefined, next_url: next ?? null },
  });
const item = (fields: object): unknown => ({
  survey: { id: "s", name: "S" },
  response: {
    uuid: "00000000-0000-4000-8000-000000000001",
    collected_at: "2026-01-01T00:00:00.000000Z",
    respondent: { uuid: "00000000-0000-4000-8000-00000000000a" },
    answers: [],
    ...fields,
  },
});
const answer = (status: number, body: string): HttpResponse => ({ status, headers: {}, body });

const SITUATIONS: Readonly<Record<string, (text: string) => HttpResponse>> = {
  "a refusal that quotes it": (text) =>
    answer(
      400,
      JSON.stringify({ user: WORD, error: `An unexpected error stopped the request of ${text}: timeout` }),
    ),
  "an unknown status": (text) => answer(418, text),
  "a good status that is not JSON": (text) => answer(200, text),
  "JSON that is not a page": (text) => answer(200, JSON.stringify({ error: text })),
  "a field's name": (text) => answer(200, page([item({ [text]: 1 })])),
  "a field's name in an answer": (text) =>
    answer(200, page([item({ answers: [{ question_id: 1, answer: { [text]: text } }] })])),
  "an unreadable item's uuid": (text) => answer(200, page([item({ uuid: text, collected_at: "never" })])),
  "a time": (text) => answer(200, page([item({ collected_at: text })])),
  "a response with an unreadable answer": (text) =>
    answer(200, page([item({ uuid: text, answers: [{ question_id: text }] })])),
  "a respondent's id": (text) => answer(200, page([item({ respondent: { uuid: text } })])),
  "a link": (text) => answer(200, page([item({})], `/surveys/other/responses?start=${text}`)),
  "a link that goes on": (text) =>
    answer(200, page([item({})], `/surveys/s/responses?items_per_page=1&resume=${encodeURIComponent(text)}`)),
  "an encoding": (text) => answer(200, `\u0000${text}`),
};

/** Every message that check and a read of these streams write. */
async function everythingWritten(respond: () => HttpResponse | Promise<HttpResponse>): Promise<string> {
  const clock = createSimulatedClock();
  const transport: Transport = async () => respond();
  const machine = { clock, createHash: () => String, createTransport: () => transport };
  const kinds = ["contact_fields", "free_text", "answer_labels", "attribute_values", "url_query"];
  const configuration = {
    base_url: "http://service.local/v2",
    api_key: "k3y-9f2c77",
    survey_ids: ["s"],
    personal_data: Object.fromEntries([...kinds, "respondent_identifiers"].map((kind) => [kind, "omit"])),
  };
  const names = ["survey_responses", "survey_answers", "respondent_responses"];
  const catalog = { streams: names.map((name) => ({ stream: { name }, sync_mode: "incremental" })) };
  const written = new Written(clock);
  const { signal } = new AbortController();
  await check(written.writer, configuration, machine, signal);
  const input = { configuration, catalog, state: undefined };
  await read(written.writer, input, machine, new Progress(clock), signal).catch(() => {});
  // Records have a treatment of their own: a response's uuid stays, whatever it is.
  return written.text.replaceAll(/^\{"type":"RECORD".*\n/gm, "");
}

describe.each([
  ["as they are", false],
  ["reworded", true],
])("with our sentences %s, the words of the service leave in no message", (_, isOn) => {
  for (const [place, respond] of Object.entries(SITUATIONS)) {
    it.each(TEXTS)(`from ${place}: %s`, async (text) => {
      reworded.isOn = isOn;
      const said = await everythingWritten(() => respond(text));
      expect(said).toContain(isOn ? '"message":"' : '"type":"LOG"');
      for (const spelling of [WORD, encodeURIComponent(WORD), WORD.toUpperCase()]) {
        expect(said).not.toContain(spelling);
      }
    });
  }

  it.each(TEXTS)("from an error of the network: %s", async (text) => {
    reworded.isOn = isOn;
    const said = await everythingWritten(() => Promise.reject(new Error(text)));
    expect(said).toContain(isOn ? "THE REQUEST TO THE SERVICE FAILED" : "The request to the service failed");
    expect(said).not.toContain(WORD);
    expect(said).not.toContain(WORD.toUpperCase());
  });
});
