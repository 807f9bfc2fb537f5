import type { StreamName } from "@survey-export/core";
import { describe, expect } from "vitest";
import { warnings } from "../../support/bin.ts";
import {
  expectAllInTheEnd,
  expectOneError,
  from,
  NESTED,
  type Reply,
  type Spell,
  sentences,
  surveyOf,
  surveysOf,
  testsAtOnce,
  to,
  Workspace,
} from "../../support/spell-service.ts";

/*
 * Exit 0 of the real program is a claim: all rows are there. Here a service has bad moments of many kinds, over a real socket
 * and in real time. Those that take minutes are in green.slow.ts.
 */

/** Ten times what they take. */
const TIMEOUT_MS = 400_000;
const test = testsAtOnce(TIMEOUT_MS);

const HTML: Reply = {
  status: 403,
  headers: { "content-type": "text/html" },
  body: "<h1>Request blocked</h1>",
};
const NO_BACKEND: Reply = {
  status: 404,
  headers: { "content-type": "text/plain" },
  body: "default backend - 404",
};
const LOGIN: Reply = { status: 302, headers: { location: "/login" } };
const REVOKED: Reply = { status: 401, body: "{}" };
const FORBIDDEN: Reply = { status: 403, body: "{}" };

describe("a spell costs no row that a green sync claims:", () => {
  for (const [what, reply] of [
    ["403 with HTML", HTML],
    ["404 with text", NO_BACKEND],
    ["302 to a login", LOGIN],
  ] as const)
    for (const seconds of [1, 5])
      test(`everything is answered with ${what} for ${seconds} s, in the middle of 40 surveys`, async (open) =>
        expectAllInTheEnd(
          await open(new Workspace(surveysOf(40, 30), from(15, reply, 1000 * seconds)), [
            "survey_responses",
            "response_keys",
          ]),
        ));

  test("every respondent's list answers 404 for one second, in the middle of 300", async (open) => {
    const spell: Spell = (path, number, ms) =>
      path.startsWith("/respondents/") && number > 150 && ms < 1000 ? NO_BACKEND : undefined;
    const syncs = await open(new Workspace(surveysOf(3, 100), spell), [
      "survey_responses",
      "respondent_attributes",
      "response_keys",
    ]);
    await expectAllInTheEnd(syncs);
  });
});

describe("what never ends well ends red, in one sentence:", () => {
  test("the key is refused from the middle of 8 surveys on", async (open) =>
    expectOneError(await open(new Workspace(surveysOf(8, 30), from(8, REVOKED))), /key/));

  for (const [which, goodOnes] of [
    ["first", 0],
    ["second", 1],
  ] as const)
    test(`the plan ends in the middle of the ${which} sync of 45 surveys, which six streams need`, async (open) => {
      const opened = await open(new Workspace(surveysOf(45, 3)), [
        ...(["survey_responses", "survey_answers", "respondent_attributes"] as const),
        ...(["surveys", "survey_questions", "response_keys"] as const),
      ]);
      const { workspace, sync } = opened;
      for (let done = 0; done < goodOnes; done++) expect((await sync()).code).toBe(0);
      workspace.spell = from(workspace.requests.length + 20, FORBIDDEN);
      await expectOneError(opened, /plan/);
    });

  test("the attributes of 1,000 respondents are refused, and few of them are asked for", async (open) => {
    const workspace = new Workspace(surveysOf(4, 250), to("/attributes", FORBIDDEN));
    const syncs = await open(workspace, ["survey_responses", "respondent_attributes"]);
    await expectOneError(syncs, /respondent/);
    expect(workspace.requests.length).toBeLessThanOrEqual(200);
  });

  test("a page has more than 16 MB: the error names items_per_page, which mends it", async (open) => {
    const url = `https://example.com/${"a".repeat(170_000)}`;
    const syncs = await open(new Workspace([surveyOf("large", 120, { url }), surveyOf("small", 3)]));
    await expectOneError(syncs, /items_per_page/);
    expect((await syncs.sync({ items_per_page: 50 })).code).toBe(0);
    expect(syncs.missing()).toEqual([]);
  });

  test("two kinds of failures: what another run may mend comes first", async (open) => {
    const spell: Spell = (path) => {
      if (path.startsWith("/surveys/survey-101/responses")) return FORBIDDEN;
      return path.startsWith("/surveys/survey-102/questions") ? { status: 500 } : undefined;
    };
    const streams = ["survey_responses", "survey_questions"] as const;
    const { sync } = await open(new Workspace(surveysOf(4, 30), spell), streams);
    const { messages } = await sync();
    const traces = messages.filter(({ trace }) => trace?.type === "ERROR").map(({ trace }) => trace);
    const inTime = traces.toSorted((a, b) => a.emitted_at - b.emitted_at);
    expect(inTime.map(({ error }) => error.failure_type)).toEqual(["transient_error", "config_error"]);
  });
});

describe("one listed survey that never answers costs only itself, by name:", () => {
  for (const status of [403, 400])
    test(`${status}, until it is excluded`, async (open) => {
      const workspace = new Workspace(surveysOf(4, 30), to("/survey-102/", { status, body: "{}" }));
      const syncs = await open(workspace);
      await expectOneError(syncs, /survey-102.*excluded_survey_ids/);
      const refused = workspace.surveys.filter(({ id }) => id === "survey-102");
      expect(syncs.missing()).toEqual(workspace.due("survey_responses", refused));
      expect((await syncs.sync({ excluded_survey_ids: ["survey-102"] })).code).toBe(0);
    });
});

describe("a value that is nested 20,000 levels deep costs nothing else:", () => {
  const streams = ["survey_responses", "surveys", "survey_questions", "respondent_attributes"] as const;
  const deep = { extra: NESTED };
  for (const [place, nest] of [
    [
      "a survey of the list",
      (it: Workspace) => (it.surveys = [{ ...surveyOf("deep", 3), fields: deep }, ...it.surveys]),
    ],
    [
      "a question",
      (it: Workspace) => (it.surveys = [{ ...it.surveys[0]!, questions: [{ id: 1, ...deep }] }]),
    ],
    ["an attribute", (it: Workspace) => (it.attributes = [{ id: 2, ...deep }, { id: 1 }])],
  ] as const)
    test(`${place}: every stream is complete`, async (open) => {
      const workspace = new Workspace(surveysOf(2, 3));
      nest(workspace);
      const { sync, missing } = await open(workspace, streams);
      const ended = await sync();
      expect(sentences(ended)).toEqual([]);
      expect(ended.code).toBe(0);
      expect(missing()).toEqual([]);
    });
});

/** A small workspace, and the syncs of it, one after the other. */
interface SmallWorkspace {
  readonly what: string;
  readonly workspace: () => Workspace;
  readonly streams?: readonly StreamName[];
  readonly syncs: readonly {
    /** What happens before it. */
    readonly change?: (workspace: Workspace) => void;
    readonly settings?: object;
    readonly code: number;
    /** In its one error, or in a warning if it ends with 0. */
    readonly tells?: RegExp;
    /** So many rows are not there if it ends with 0. */
    readonly lacks?: number;
  }[];
}

const PEOPLE = ["survey_responses", "respondent_attributes"] as const;
const STRANGER = "9f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10";
const STRANGER_IS_TOLD = new RegExp(`${STRANGER}.*respondent_uuids`);
const deleteOldest = (workspace: Workspace): void => {
  workspace.surveys = workspace.surveys.slice(0, -1);
};
const makeReal = (workspace: Workspace): void => {
  workspace.surveys = [surveyOf("real", 3)];
  workspace.spell = undefined;
};
const twice = <Each>(each: Each): Each[] => [each, each];

const SMALL_WORKSPACES: readonly SmallWorkspace[] = [
  {
    what: "its only survey, an empty one, is deleted",
    workspace: () => new Workspace([surveyOf("only", 0)]),
    syncs: [{ code: 0 }, { change: deleteOldest, code: 0, tells: /"only"/ }],
  },
  {
    what: "its empty test survey is deleted, and the real one is made",
    workspace: () => new Workspace([surveyOf("trial", 0)]),
    syncs: [{ code: 0 }, { change: makeReal, code: 0, tells: /"trial"/ }],
  },
  {
    what: "its only survey was never read, is deleted, and another is made",
    workspace: () => new Workspace([surveyOf("refused", 3)], to("/surveys/refused/", FORBIDDEN)),
    syncs: [
      { code: 1, tells: /"refused".*excluded_survey_ids/ },
      { change: makeReal, code: 0, tells: /"refused"/ },
    ],
  },
  {
    what: "it has two surveys, and the key is revoked (401) after the first page",
    workspace: () => new Workspace(surveysOf(2, 3), from(3, REVOKED)),
    syncs: [{ code: 1, tells: /does not accept the API key/ }],
  },
  {
    what: "it has nine surveys, and answers 403 to everything from the seventh request on",
    workspace: () => new Workspace(surveysOf(9, 30), from(7, FORBIDDEN)),
    syncs: [{ code: 1, tells: /plan/ }],
  },
  {
    what: "the attributes of its five respondents are always refused (403)",
    workspace: () => new Workspace(surveysOf(1, 5), to("/attributes", FORBIDDEN)),
    streams: PEOPLE,
    syncs: twice({ code: 1, tells: /5 respondents/ }),
  },
  {
    what: "it has no endpoint for the attributes of its five respondents (404)",
    workspace: () => new Workspace(surveysOf(1, 5), to("/attributes", NO_BACKEND)),
    streams: PEOPLE,
    syncs: twice({ code: 1, tells: /5 respondents/ }),
  },
  {
    what: "its nine responses all have a date in another form",
    workspace: () => new Workspace([surveyOf("dated", 9, { collected_at: "29/11/2026 05:12" })]),
    syncs: twice({ code: 1, tells: /9 of 9 items/ }),
  },
  {
    what: "respondent_uuids names somebody unknown, and nothing else",
    workspace: () => new Workspace(surveysOf(1, 3)),
    streams: ["respondent_responses"],
    syncs: twice({ code: 1, tells: STRANGER_IS_TOLD, settings: { respondent_uuids: [STRANGER] } }),
  },
  {
    what: "respondent_uuids names somebody unknown, next to every survey",
    workspace: () => new Workspace(surveysOf(2, 3)),
    streams: PEOPLE,
    syncs: twice({ code: 1, tells: STRANGER_IS_TOLD, settings: { respondent_uuids: [STRANGER] } }),
  },
  {
    what: "one of its two surveys always answers 403, and is excluded at last",
    workspace: () => new Workspace(surveysOf(2, 3), to("/survey-101/", FORBIDDEN)),
    syncs: [
      ...twice({ code: 1, tells: /"survey-101".*excluded_survey_ids/ }),
      { settings: { excluded_survey_ids: ["survey-101"] }, code: 0, lacks: 3 },
    ],
  },
  {
    what: "one of its two surveys is deleted",
    workspace: () => new Workspace(surveysOf(2, 3)),
    syncs: [{ code: 0 }, { change: deleteOldest, code: 0, tells: /"survey-101"/ }],
  },
  {
    what: "one of its respondents is erased (404), and others are found",
    workspace: () => {
      const workspace = new Workspace(surveysOf(1, 5));
      workspace.spell = to(`${workspace.respondents[2]}/`, NO_BACKEND);
      return workspace;
    },
    streams: PEOPLE,
    syncs: [{ code: 0, tells: /1 respondent was not found/, lacks: 2 }],
  },
];

describe("a small workspace is judged as a large one is:", () => {
  for (const { what, workspace, streams, syncs } of SMALL_WORKSPACES)
    test(`${what}: exit ${syncs.map(({ code }) => code).join(", then ")}`, async (open) => {
      const opened = await open(workspace(), streams);
      for (const { change, settings, code, tells = /^/, lacks = 0 } of syncs) {
        change?.(opened.workspace);
        if (code === 1) await expectOneError(opened, tells, settings);
        else {
          const ended = await opened.sync(settings);
          expect(ended.code).toBe(0);
          expect(["", ...warnings(ended.messages)].join(" ")).toMatch(tells);
          expect(opened.missing()).toHaveLength(lacks);
        }
      }
    });
});

describe("a sync without failures", () => {
  test("asks for the list of surveys and for each page once, and for nothing else", async (open) => {
    const workspace = new Workspace(surveysOf(12, 130));
    const { sync, missing } = await open(workspace);
    expect((await sync()).code).toBe(0);
    expect(missing()).toEqual([]);
    expect(workspace.requests).toHaveLength(1 + 12 * 2);
  });

  test("asks once for each respondent's attributes and for each survey's questions, if streams need them", async (open) => {
    const workspace = new Workspace(surveysOf(4, 10));
    const { sync, missing } = await open(workspace, [
      ...(["survey_responses", "survey_answers", "respondent_responses", "respondent_attributes"] as const),
      ...(["surveys", "survey_questions", "response_keys", "response_key_snapshots"] as const),
    ]);
    expect((await sync()).code).toBe(0);
    expect(missing()).toEqual([]);
    expect(workspace.requests).toHaveLength(1 + 4 + 4 + 40);
  });
});
