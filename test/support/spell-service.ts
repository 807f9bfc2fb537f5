import type { ChildProcess } from "node:child_process";
import type { RequestListener } from "node:http";
import type { StreamName } from "@survey-export/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ_DEMANDS } from "./airbyte-platform.ts";
import { type Ended, errors, records } from "./bin.ts";
import { Folder } from "./folder.ts";
import { startServer } from "./server.ts";
import { keyIn, Replica, syncProgram } from "./sync.ts";

/*
 * A survey service that has bad moments, over a real socket and in real time, and the syncs that the real program makes of it.
 * It answers as the interface document says, and shares nothing with the sandbox.
 */

export interface HeldResponse {
  readonly uuid: string;
  readonly respondent: string;
  readonly at: string;
  /** Take the place of what the service says of it. */
  readonly fields?: object;
}

export interface HeldSurvey {
  readonly id: string;
  readonly responses: readonly HeldResponse[];
  /** Take the place of what the list of surveys says of it. */
  readonly fields?: object;
  /** The highest id first. */
  readonly questions: readonly { readonly id: number }[];
}

interface HttpReply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** `cut`: the connection ends without an answer. */
export type Reply = HttpReply | "cut";

/**
 * What the service answers instead of the truth. `path` is below the base URL. `number`: of the request, from 1 on. `ms`: since
 * the first request that was answered so; 0 until then.
 */
export type Spell = (path: string, number: number, ms: number) => Reply | undefined;

/** From a request on, for so long. */
export const from =
  (first: number, reply: Reply, forMs = Number.POSITIVE_INFINITY): Spell =>
  (_, number, ms) =>
    number >= first && ms < forMs ? reply : undefined;

/** Always, to each path that has this part. */
export const to =
  (part: string, reply: Reply): Spell =>
  (path) =>
    path.includes(part) ? reply : undefined;

/** In a field, this text stands for a value that is nested so deeply. */
export const NESTED = "(20,000 levels)";
const NESTED_JSON = "[".repeat(20_000) + "]".repeat(20_000);

const EPOCH_MS = Date.UTC(2025, 0, 1);
const timeAt = (minute: number): string =>
  new Date(EPOCH_MS + minute * 60_000).toISOString().replace("Z", "000Z");
const uuidAt = (kind: number, number: number): string =>
  `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

let responses = 0;

/** A survey with so many responses, each a minute after the one before and of a respondent of its own, and two questions. */
export const surveyOf = (id: string, count: number, fields: object = {}): HeldSurvey => ({
  id,
  responses: Array.from({ length: count }, (_, place) => {
    const number = ++responses;
    return { uuid: uuidAt(1, number), respondent: uuidAt(2, number), at: timeAt(count - place), fields };
  }),
  questions: [{ id: 2 }, { id: 1 }],
});

export const surveysOf = (surveys: number, count: number): HeldSurvey[] =>
  Array.from({ length: surveys }, (_, number) => surveyOf(`survey-${100 + number}`, count));

/** A workspace of the service. What it holds may change between two syncs. */
export class Workspace {
  /** The newest first. */
  surveys: readonly HeldSurvey[];
  spell: Spell | undefined;
  /** Of each respondent; the highest id first. */
  attributes: readonly { readonly id: number }[] = [{ id: 2 }, { id: 1 }];
  /** The paths of all requests. */
  readonly requests: string[] = [];
  #spellBeganMs: number | undefined;

  constructor(surveys: readonly HeldSurvey[], spell?: Spell) {
    this.surveys = surveys;
    this.spell = spell;
  }

  get respondents(): string[] {
    return this.surveys.flatMap(({ responses }) => responses.map(({ respondent }) => respondent));
  }

  /** The keys of all rows of a stream that can be known before: not of those that each sync makes anew. */
  due(stream: StreamName, surveys = this.surveys): string[] {
    const rows: Partial<Record<StreamName, object[]>> = {
      survey_responses: surveys.flatMap((survey) => [...survey.responses]),
      surveys: [...surveys],
      survey_questions: surveys.flatMap(({ id: survey_id, questions }) =>
        questions.map(({ id }) => ({ survey_id, id })),
      ),
      respondent_attributes: this.respondents.flatMap((respondent_uuid) =>
        this.attributes.map(({ id }) => ({ respondent_uuid, id })),
      ),
    };
    return (rows[stream] ?? []).map((row) => keyIn(stream, row));
  }

  listen: RequestListener = ({ url = "", socket }, answer) => {
    const path = url.replace(/^\/v2/, "");
    this.requests.push(path);
    const now = performance.now();
    const reply = this.spell?.(path, this.requests.length, now - (this.#spellBeganMs ?? now));
    if (reply) this.#spellBeganMs ??= now;
    if (reply === "cut") return void socket.destroy();
    const truth = (): HttpReply => this.#answer(new URL(path, "http://service")) ?? { status: 404 };
    const { status, headers, body = "" } = reply ?? truth();
    answer.writeHead(status, headers).end(body);
  };

  /** Undefined if there is no such thing. */
  #answer({ pathname, searchParams }: URL): HttpReply | undefined {
    const [kind, id = "", list] = pathname.slice(1).split("/");
    const lists: Readonly<Record<string, readonly Item[] | undefined>> =
      (kind === "respondents" ? this.#listsOf(id) : this.#listsOfSurvey(id)) ?? {};
    const items = lists[list ?? ""];
    if (items) return pageOf(pathname, searchParams, items);
    const survey = this.#records.find(({ item }) => kind === "surveys" && item.id === id);
    return survey && list === undefined ? json(survey.item) : undefined;
  }

  get #records() {
    return this.surveys.map(({ id, fields, responses: { length: responses } }, place) => ({
      key: timeAt(-place),
      item: { ...recordOf(id), enabled: true, responses, created_at: timeAt(-place), ...fields },
    }));
  }

  #listsOfSurvey(id: string) {
    if (id === "") return { "": this.#records };
    const survey = this.surveys.find((each) => each.id === id);
    return (
      survey && { questions: survey.questions.map(byId), responses: survey.responses.map(itemOf(survey)) }
    );
  }

  #listsOf(respondent: string) {
    const found = this.surveys.flatMap((survey) =>
      survey.responses.filter((each) => each.respondent === respondent).map(itemOf(survey)),
    );
    return found.length === 0 ? {} : { attributes: this.attributes.map(byId), responses: found };
  }
}

/** `key`: what the list is sorted by, which links hold. */
interface Item {
  readonly key: string;
  readonly item: object;
}

const recordOf = (id: string) => ({ id, type: "PageSurvey", name: `About ${id}` });
const byId = (item: { readonly id: number }): Item => ({ key: String(item.id), item });

/** As lists of responses show one. */
const itemOf =
  ({ id }: HeldSurvey) =>
  ({ uuid, respondent, at, fields }: HeldResponse): Item => {
    const of = { answers: [], attributes: [], respondent: { uuid: respondent, attributes: [] } };
    return {
      key: at,
      item: { survey: recordOf(id), response: { uuid, collected_at: at, ...of, ...fields } },
    };
  };

const json = (value: object): HttpReply => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value).replaceAll(JSON.stringify(NESTED), NESTED_JSON),
});

/** A page of a list. */
function pageOf(path: string, query: URLSearchParams, items: readonly Item[]): HttpReply {
  const size = Number(query.get("items_per_page"));
  if (!(size >= 1 && size <= 100)) return { status: 400 };
  const [start, end] = [query.get("start"), query.get("end")];
  const found = items.filter(({ key }) => (start === null || key <= start) && (end === null || key >= end));
  const next = found[size];
  const rest = new URLSearchParams(query);
  if (next) rest.set("start", next.key);
  const pagination_data = { has_more: next !== undefined, ...(next && { next_url: `${path}?${rest}` }) };
  return json({ pagination_data, data: found.slice(0, size).map(({ item }) => item) });
}

export const sentences = ({ messages }: Ended): string[] => errors(messages).map(({ message }) => message);

/** The sync ends with 1, and with one sentence. */
export async function expectOneError({ sync }: Syncs, sentence: RegExp, settings?: object): Promise<void> {
  const ended = await sync(settings);
  expect(ended.code).toBe(1);
  expect(sentences(ended)).toEqual([expect.stringMatching(sentence)]);
}

/** The sync ends with 0 and all rows, or with 1; and the next one, when all is well again, with 0 and all rows. */
export async function expectAllInTheEnd({ workspace, sync, missing }: Syncs): Promise<void> {
  const codes: (number | null)[] = [];
  for (const _ of [1, 2]) {
    const { code, messages } = await sync();
    codes.push(code);
    if (code !== 0) continue;
    expect(missing()).toEqual([]);
    expect(records(messages, "response_keys")).toHaveLength(workspace.due("survey_responses").length);
  }
  expect([
    [0, 0],
    [1, 0],
  ]).toContainEqual(codes);
}

export interface Syncs {
  readonly workspace: Workspace;
  /** One sync, from the states of the one before on. */
  readonly sync: (settings?: object) => Promise<Ended>;
  /** The keys of the rows that the workspace has, and that have not come in any sync. */
  readonly missing: () => string[];
}

/**
 * Tests of a file that all begin at once, since they wait for most of their time. Each gets workspaces of its own, with
 * the syncs of them. Airbyte's demands hold for each sync.
 */
export function testsAtOnce(timeoutMs: number) {
  type Open = (workspace: Workspace, streams?: readonly StreamName[]) => Promise<Syncs>;
  type Body = (open: Open) => Promise<void>;
  const bodies = new Map<string, Body>();
  const begun = new Map<string, Promise<void>>();
  const cleanUps: (() => unknown)[] = [];

  const open: Open = async (workspace, streams = ["survey_responses"]) => {
    const { origin, close } = await startServer(workspace.listen);
    const folder = new Folder();
    const replica = new Replica();
    const onStart = (child: ChildProcess): void => void cleanUps.unshift(() => child.kill("SIGKILL"));
    cleanUps.push(close, () => folder.remove());
    return {
      workspace,
      async sync(settings = {}) {
        const config = { base_url: `${origin}/v2`, api_key: "a-key-of-this-service", ...settings };
        const ended = await syncProgram(folder, replica, { config, streams, onStart });
        const { messages, code } = ended;
        for (const { demand, isMet } of READ_DEMANDS)
          expect(isMet({ messages, code, streams }), demand).toBe(true);
        return ended;
      },
      missing: () => streams.flatMap((stream) => replica.lost(stream, workspace.due(stream))),
    };
  };
  beforeAll(() => {
    for (const [name, body] of bodies) {
      const running = body(open);
      running.catch(() => {});
      begun.set(name, running);
    }
  });
  afterAll(() => Promise.all(cleanUps.map((cleanUp) => cleanUp())));
  return (name: string, body: Body): void => {
    bodies.set(name, body);
    test(name, () => begun.get(name), timeoutMs);
  };
}
