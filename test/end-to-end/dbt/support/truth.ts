import type { Service } from "../../../../sandbox/index.ts";

type Fields = Readonly<Record<string, unknown>>;
interface Element extends Fields {
  readonly question_id: number;
  readonly question_type: string;
}
export interface TrueAnswers {
  readonly uuid: string;
  readonly survey_id: string;
  readonly respondent: string;
  readonly collected_at: string;
  readonly url: string;
  readonly elements: readonly Element[];
}

/**
 * Every response with its answers, each once, as the sandbox's own lists give them: neither our core nor a model is
 * asked. A page may repeat responses of the page before it.
 */
export async function trueAnswers(service: Service): Promise<TrueAnswers[]> {
  const found = new Map<string, TrueAnswers>();
  for (const survey of service.truth.surveyIds()) {
    let path: string | undefined = `/surveys/${survey}/responses?items_per_page=100`;
    while (path !== undefined) {
      const headers = { authorization: `Basic ${service.apiKey}` };
      const { body } = await service.handle({ url: `/v2${path}`, headers });
      const page = JSON.parse(body);
      for (const item of page.data) {
        const response = item.response ?? item;
        found.set(response.uuid, {
          uuid: response.uuid,
          survey_id: survey,
          respondent: response.respondent.uuid,
          collected_at: response.collected_at,
          url: response.url,
          elements: response.answers,
        });
      }
      path = page.pagination_data.has_more ? page.pagination_data.next_url : undefined;
    }
  }
  return [...found.values()];
}

/** Counts by survey, question and day, such as "1001 1009 2026-01-31": for each element that `of` counts, its numbers. */
function byDay(responses: readonly TrueAnswers[], of: (element: Element) => readonly number[] | undefined) {
  const days = new Map<string, readonly number[]>();
  for (const { survey_id, collected_at, elements } of responses) {
    for (const element of elements) {
      const numbers = of(element);
      if (numbers === undefined) continue;
      const key = `${survey_id} ${element.question_id} ${collected_at.slice(0, 10)}`;
      const before = days.get(key);
      days.set(key, before === undefined ? numbers : numbers.map((number, place) => number + before[place]!));
    }
  }
  return days;
}

/** The same, with zeros for each day of a question between two of its days. */
export function everyDay(days: ReadonlyMap<string, readonly number[]>) {
  const all = new Map<string, readonly number[]>();
  for (const [question, keys] of Map.groupBy(days.keys(), (key) => key.slice(0, -10))) {
    const times = keys.map((key) => Date.parse(key.slice(-10)));
    for (let time = Math.min(...times); time <= Math.max(...times); time += 86_400_000) {
      const key = `${question}${new Date(time).toISOString().slice(0, 10)}`;
      all.set(key, days.get(key) ?? days.get(keys[0]!)!.map(() => 0));
    }
  }
  return all;
}

/** The answers with a tag, how many of them promote, and how many detract. */
export const truePromoters = (responses: readonly TrueAnswers[]) =>
  byDay(responses, ({ answer }) => {
    const tag = (answer as Fields | undefined)?.tag;
    return tag === undefined ? undefined : [1, Number(tag === "promoter"), Number(tag === "detractor")];
  });

/** The csat ratings, and how many of them are 4 or 5. */
export const trueSatisfaction = (responses: readonly TrueAnswers[]) =>
  byDay(responses, ({ question_type, answer }) => {
    const rating = (answer as { rating?: number } | undefined)?.rating;
    return question_type !== "csat" || rating === undefined ? undefined : [1, Number(rating >= 4)];
  });

/** Of each survey and question: how many responses answer it. */
export function trueCounts(responses: readonly TrueAnswers[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { survey_id, elements } of responses) {
    for (const id of new Set(elements.map(({ question_id }) => question_id))) {
      counts.set(`${survey_id} ${id}`, (counts.get(`${survey_id} ${id}`) ?? 0) + 1);
    }
  }
  return counts;
}

/** Of a response: what the columns of the project's question_labels.csv must hold. */
export function trueWide({ survey_id, elements }: TrueAnswers): Fields {
  const of = (question: number) => elements.find(({ question_id }) => question_id === question);
  const answer = (question: number) => of(question)?.answer as Fields | undefined;
  const joined = (question: number, textOf: (answer: Fields) => unknown) =>
    (of(question)?.answers as readonly Fields[] | undefined)?.map(textOf).join("; ") ?? null;
  const first = survey_id === "1001";
  const nps = answer(first ? 1009 : survey_id === "1002" ? 2009 : 4009) ?? undefined;
  const mixed = [answer(1001)?.content, of(1012)?.action_performed].filter((said) => said !== undefined);
  return {
    ease: answer(1001)?.content ?? null,
    reasons: joined(1002, ({ content }) => content),
    satisfaction: answer(1005)?.rating ?? null,
    nps: nps === undefined ? null : Number(nps.content),
    service: joined(1010, ({ content, score }) => `${content}: ${score}`),
    priorities: joined(1011, ({ content, rank }) => `${content}: ${rank}`),
    installed: of(1012)?.action_performed ?? null,
    mixed: mixed.length > 0 ? mixed.join("; ") : null,
    large: answer(4_000_000_001)?.content ?? null,
    unasked: null,
  };
}
