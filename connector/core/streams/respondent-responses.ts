import { respondentResponsesPath } from "../api/endpoints.ts";
import type { Gap } from "../reading/coverage.ts";
import { readItemPage } from "../reading/item.ts";
import { later, type Moment } from "../reading/moment.ts";
import { createWalk, type Walk } from "../reading/walk.ts";
import { responseRecord } from "./response-record.ts";
import type { Respondent, RespondentReading, RespondentStream } from "./stream.ts";

/**
 * Every response of the respondents found in the configured surveys, to whatever survey.
 *
 * A person found in a page is read down to the first response that an earlier sync delivered with its
 * responder: whoever delivered that one delivered all older ones. A person named in the configuration has a
 * coverage of their own, and what is missing there is read.
 */
export const respondentResponses: RespondentStream = {
  reads: "respondents",
  dependsOnStartDate: true,
  open: (respondent) => readStretches(respondent, [...(respondent.gaps ?? [wholeList(respondent)])]),
};

const wholeList = ({ startDate, endDate }: Respondent): Gap => ({ older: startDate ?? null, newer: endDate });

function readStretches(respondent: Respondent, stretches: Gap[]): RespondentReading {
  const { uuid, itemsPerPage, unknown } = respondent;
  const list = `respondent "${uuid}"`;
  let newestSeen: Moment | undefined;
  let walk: Walk | undefined;
  const nextStretch = (): Walk | undefined => {
    const gap = stretches.pop();
    return (
      gap &&
      createWalk({
        ...gap,
        requestEnd: null,
        itemsPerPage,
        pathOf: (window) => respondentResponsesPath(uuid, window),
        list,
        ...(respondent.gaps === undefined && { stopsAt: respondent.wasDelivered }),
      })
    );
  };
  walk = nextStretch();
  return {
    get path() {
      return walk?.path;
    },
    parse(body) {
      const page = readItemPage(body, walk!.notAfter);
      return () => {
        const { items, claims, problem, warning } = walk!.receive(page);
        const top = items[0]?.moment;
        if (top !== undefined) newestSeen = newestSeen === undefined ? top : later(newestSeen, top);
        if (walk!.path === undefined) walk = nextStretch();
        const records = items.map((item) => responseRecord(item, { respondentUuid: uuid }, unknown));
        return { records, claims, newestSeen, problem, warning };
      };
    },
  };
}
