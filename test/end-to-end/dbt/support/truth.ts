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
  readonly device_type: string;
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
          device_type: response.device_type,
          elements: response.answers,
        });
      }
      path = page.pagination_data.has_more ? page.pagination_data.next_url : undefined;
    }
  }
  return [...found.values()];
}
