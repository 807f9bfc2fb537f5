import type { Client } from "../client/client.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import type { Ledger } from "./failures/ledger.ts";
import { keySnapshotReader } from "./key-snapshot-reader.ts";
import type { Requests } from "./requests.ts";
import { attributeList } from "./respondents/attribute-list.ts";
import { hasRespondent } from "./respondents/respondent.ts";
import { RespondentReader, type RespondentReaderOptions } from "./respondents/respondent-reader.ts";
import { responseList, withoutAttributes } from "./respondents/response-list.ts";
import type { SurveyPage } from "./slice.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import { QuestionReader, type SnapshotReader, SurveyRecordReader } from "./surveys/snapshot-readers.ts";
import type { SurveyDirectory } from "./surveys/survey-directory.ts";
import { isEverySurveyRead } from "./surveys/survey-selection.ts";
import { isOfNamedRespondents, type Settings } from "./sync-options.ts";
import type { Warnings } from "./warnings.ts";

/** Reads a stream that the pages of the surveys fill. */
export interface PageReader {
  readonly stream: StreamInSync;
  /** Delivers what a page leads to, and covers the page. */
  take(page: SurveyPage): Promise<void>;
  /** Nothing more is requested: delivers what remains. */
  finish?(): void;
}

/** The readers of a sync, each for one stream. */
export interface Readers {
  /** They need only the surveys' own pages. */
  readonly pages: PageReader[];
  /** They request the lists of the respondents whom the pages show. */
  readonly respondents: RespondentReader[];
  /** They request the lists of the respondents whom the configuration names. */
  readonly named: RespondentReader[];
  readonly snapshots: SnapshotReader[];
}

/** What readers read with. */
export interface ReadingTools {
  readonly client: Client;
  readonly requests: Requests;
  readonly ledger: Ledger;
  readonly warnings: Warnings;
  readonly settings: Settings;
  readonly directory: SurveyDirectory;
  /** When the sync began, by the host's clock. */
  readonly began: Timestamp;
}

type Add<Definition> = (
  readers: Readers,
  stream: StreamInSync,
  definition: Definition,
  tools: ReadingTools,
) => void;

/** The records of a response of a survey. */
type RecordsOf = RespondentReaderOptions["recordsOf"];

/** Adds the reader of each kind of stream. */
const ADD: { readonly [Definition in StreamDefinition as Definition["reads"]]: Add<Definition> } = {
  "survey responses": (readers, stream, { records }, { began }) => {
    readers.pages.push(pageReader(stream, records, began));
  },
  "key snapshots": (readers, stream, definition, { began, settings, ledger }) => {
    readers.pages.push(keySnapshotReader(stream, definition, began, settings.startDate ?? null, ledger));
  },
  "respondent responses": (readers, stream, definition, tools) => {
    const { settings } = tools;
    const { startDate: older = null, endDate: newer } = settings;
    const recordsOf: RecordsOf = (item, origin) =>
      hasRespondent(item, origin, stream.warnings) ? definition.records(withoutAttributes(item), origin) : [];
    if (isEverySurveyRead(settings) && !isOfNamedRespondents(definition, settings)) {
      readers.pages.push(pageReader(stream, recordsOf, tools.began));
      return;
    }
    const listOf: RespondentReaderOptions["listOf"] = (options) =>
      responseList(stream, definition, options, { older, newer });
    addRespondents(readers, { ...tools, stream, listOf, recordsOf });
  },
  "respondent attributes": (readers, stream, definition, tools) => {
    const listOf: RespondentReaderOptions["listOf"] = (options) => attributeList(stream, definition, options);
    const recordsOf: RecordsOf = () => [];
    addRespondents(readers, { ...tools, stream, listOf, recordsOf });
  },
  surveys: (readers, stream, definition, tools) => {
    readers.snapshots.push(new SurveyRecordReader({ ...tools, stream, definition }));
  },
  "survey questions": (readers, stream, definition, tools) => {
    readers.snapshots.push(new QuestionReader({ ...tools, stream, definition }));
  },
};

function addRespondents(readers: Readers, options: RespondentReaderOptions): void {
  const { definition } = options.stream;
  const kind = isOfNamedRespondents(definition, options.settings) ? readers.named : readers.respondents;
  kind.push(new RespondentReader(options));
}

/** Reads a stream for which the pages of the surveys hold everything. */
function pageReader(stream: StreamInSync, recordsOf: RecordsOf, began: Timestamp): PageReader {
  const take: PageReader["take"] = (page) => {
    const { surveyId, survey } = page;
    const items = stream.wantedOf(page);
    const origin = { surveyId, survey, began, unknown: stream.warnings.unknown };
    const records = items.flatMap((item) => recordsOf(item, origin));
    return stream.deliverPage(page, items, records);
  };
  return { stream, take };
}

/** The readers of the streams. */
export function readersOf(streams: readonly StreamInSync[], tools: ReadingTools): Readers {
  const readers: Readers = { pages: [], respondents: [], named: [], snapshots: [] };
  for (const stream of streams) {
    const add = ADD[stream.definition.reads] as Add<StreamDefinition>;
    add(readers, stream, stream.definition, tools);
  }
  return readers;
}
