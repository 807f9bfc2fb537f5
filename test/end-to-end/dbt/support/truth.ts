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
  /** Any JSON, if the service breaks its rules. */
  readonly url: unknown;
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
      for (const { response } of page.data) {
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

interface Score {
  answers: number;
  promoters: number;
  detractors: number;
}

/** Of each survey, question and day: the answers with a tag, and how many of them promote and detract. */
export function truePromoters(responses: readonly TrueAnswers[]): Map<string, Score> {
  const days = new Map<string, Score>();
  for (const { survey_id, collected_at, elements } of responses) {
    for (const { question_id, answer } of elements) {
      const tag = (answer as { tag?: string } | undefined)?.tag;
      if (tag === undefined) continue;
      const key = `${survey_id} ${question_id} ${collected_at.slice(0, 10)}`;
      const score = days.get(key) ?? { answers: 0, promoters: 0, detractors: 0 };
      score.answers += 1;
      if (tag === "promoter") score.promoters += 1;
      if (tag === "detractor") score.detractors += 1;
      days.set(key, score);
    }
  }
  return days;
}

/** Of each survey, question and day: how many csat ratings there are, and how many of them are 4 or 5. */
export function trueSatisfaction(responses: readonly TrueAnswers[]): Map<string, [number, number]> {
  const days = new Map<string, [number, number]>();
  for (const { survey_id, collected_at, elements } of responses) {
    for (const { question_id, question_type, answer } of elements) {
      const rating = (answer as { rating?: number } | undefined)?.rating;
      if (question_type !== "csat" || rating === undefined) continue;
      const key = `${survey_id} ${question_id} ${collected_at.slice(0, 10)}`;
      const [answers, satisfied] = days.get(key) ?? [0, 0];
      days.set(key, [answers + 1, satisfied + (rating >= 4 ? 1 : 0)]);
    }
  }
  return days;
}

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
  const answers = (question: number) => of(question)?.answers as readonly Fields[] | undefined;
  const first = survey_id === "1001";
  const nps = answer(first ? 1009 : survey_id === "1002" ? 2009 : 4009) ?? undefined;
  const mixed = [answer(1001)?.content, of(1012)?.action_performed].filter((said) => said !== undefined);
  return {
    ease: answer(1001)?.content ?? null,
    reasons:
      answers(1002)
        ?.map(({ content }) => content)
        .join("; ") ?? null,
    satisfaction: answer(1005)?.rating ?? null,
    nps: nps === undefined ? null : Number(nps.content),
    service:
      answers(1010)
        ?.map(({ content, score }) => `${content}: ${score}`)
        .join("; ") ?? null,
    priorities:
      answers(1011)
        ?.map(({ content, rank }) => `${content}: ${rank}`)
        .join("; ") ?? null,
    installed: of(1012)?.action_performed ?? null,
    mixed: mixed.length > 0 ? mixed.join("; ") : null,
    large: answer(4_000_000_001)?.content ?? null,
    unasked: null,
  };
}
