/** A file that is changed by hand. */
export interface Edit {
  readonly file: string;
  /** Pairs: what occurs exactly once in the file, and what replaces it. None: the command has done all. */
  readonly by?: readonly (readonly [search: string, replace: string])[];
  /** What fails if this step is forgotten, in words of a command line of Node. */
  readonly noticedBy: readonly string[];
}

/** Something to add, by the steps of CONTRIBUTING.md and nothing else. */
export interface Addition {
  readonly name: string;
  /** Runs before the edits: a script and its arguments. */
  readonly command?: readonly string[];
  readonly edits: readonly Edit[];
}

const GENERATE = ["scripts/generate.ts"];
const COMPILE = ["node_modules/typescript/bin/tsc", "--noEmit"];
const test = (file: string, name: string): readonly string[] => [
  ...["node_modules/vitest/vitest.mjs", "run", file],
  ...["-t", name],
];
/** A stream that has no record for most responses, and many for others. It takes no part in the manifest. */
const STREAM: Addition = {
  name: "the stream survey_choices",
  command: ["scripts/new-stream.ts", "survey_choices"],
  edits: [
    {
      file: "connector/core/streams/survey-choices.ts",
      by: [
        [
          "import type { Columns }",
          'import { answerRows } from "./answer-rows.ts";\nimport type { Columns }',
        ],
        ["Primary key of the stream.", "First part of the stream's primary key."],
        [
          "  collected_at: RESPONSE_COLUMNS.collected_at,\n",
          `  collected_at: RESPONSE_COLUMNS.collected_at,
  question_id: {
    type: "integer",
    description: "Identifier of the question. Second part of the stream's primary key.",
    from: "one answer",
    holds: { plain: "an id that the service makes" },
  },
  position: {
    type: "integer",
    description: "Number of the choice: 1, 2, … in the service's order. Third part of the stream's primary key.",
    from: "one answer",
    holds: { plain: "our own count" },
  },
  choice: {
    type: ["string", "null"],
    description: "Text of the choice.",
    from: "one answer",
    holds: "answer_labels",
  },
`,
        ],
        ['["response_uuid"]', '["response_uuid", "question_id", "position"]'],
        [
          "(item) => [{ response_uuid: item.uuid, collected_at: item.timestamp }],",
          `(item, { unknown }) =>
    answerRows(item, unknown)
      .filter(({ answer_type }) => answer_type === "multiple_choice")
      .map(({ question_id, position, value_text }) => ({
        response_uuid: item.uuid,
        collected_at: item.timestamp,
        question_id,
        position,
        choice: value_text,
      })),`,
        ],
      ],
      noticedBy: test("test/connector/core/streams/survey-choices.test.ts", "a response"),
    },
    {
      file: "test/connector/core/streams/survey-choices.test.ts",
      by: [
        ["one record", "a record for each choice"],
        ["answers: []", 'answers: [{ question_id: 7, answers: [{ content: "A" }, { content: "B" }] }]'],
        [
          '{ response_uuid: "r1", collected_at: "2026-01-05T08:00:00.000000Z" },',
          '{ response_uuid: "r1", collected_at: response.collected_at, question_id: 7, position: 1, choice: "A" },\n    { response_uuid: "r1", collected_at: response.collected_at, question_id: 7, position: 2, choice: "B" },',
        ],
      ],
      noticedBy: test("test/connector/core/streams/survey-choices.test.ts", "a response"),
    },
    {
      file: "connector/core/streams/index.ts",
      noticedBy: test("test/repository/architecture.test.ts", "lists every stream that a file defines"),
    },
    {
      file: "manifest/README.md",
      noticedBy: test(
        "manifest/test/generate.test.ts",
        "every stream is in the manifest, or its page says that it is not",
      ),
    },
  ],
};

/** A setting that the manifest refuses. */
const SETTING: Addition = {
  name: "the setting request_timeout",
  edits: [
    {
      file: "spec/connection.json",
      by: [
        [
          '    "personal_data": {',
          `    "request_timeout": {
      "type": "integer",
      "title": "Request Timeout",
      "description": "Number of seconds that one response may take, from the request to its last byte.",
      "group": "tuning",
      "order": 11,
      "default": 120,
      "minimum": 1,
      "maximum": 600
    },
    "personal_data": {`,
        ],
        ['"group": "privacy",\n      "order": 11', '"group": "privacy",\n      "order": 12'],
      ],
      noticedBy: COMPILE,
    },
    {
      file: "connector/airbyte/configuration.ts",
      by: [
        [
          "  readonly requestsPerMinute: number;\n",
          "  readonly requestsPerMinute: number;\n  /** For one response, from the request to its last byte. */\n  readonly requestTimeoutMs: number;\n",
        ],
        [
          "  requests_per_minute: asGiven<number>,\n",
          "  requests_per_minute: asGiven<number>,\n  request_timeout: asGiven<number>,\n",
        ],
        [
          "      requestsPerMinute: values.requests_per_minute,\n",
          "      requestsPerMinute: values.requests_per_minute,\n      requestTimeoutMs: 1000 * values.request_timeout,\n",
        ],
      ],
      noticedBy: COMPILE,
    },
    {
      file: "connector/node/machine.ts",
      by: [
        [
          "{ maxConcurrentRequests }: { readonly maxConcurrentRequests: number },",
          `{
        maxConcurrentRequests,
        requestTimeoutMs,
      }: { readonly maxConcurrentRequests: number; readonly requestTimeoutMs: number },`,
        ],
        [
          "createTransport({ apiKey, maxConcurrentRequests })",
          "createTransport({ apiKey, maxConcurrentRequests, timeoutMs: requestTimeoutMs })",
        ],
      ],
      noticedBy: test(
        "test/connector/airbyte/configuration.test.ts",
        "every part of the configuration is used by the connector",
      ),
    },
    {
      file: "manifest/generate.ts",
      by: [
        [
          "> = {\n  personal_data:\n",
          '> = {\n  request_timeout: "The low-code manifest cannot limit how long a response takes. Leave this as it is.",\n  personal_data:\n',
        ],
      ],
      noticedBy: GENERATE,
    },
  ],
};

/** A kind of answer: `{ "answer": { "slider": 70 } }`. */
const KIND: Addition = {
  name: "the kind of answer slider",
  edits: [
    {
      file: "connector/core/answers/answer-kinds.ts",
      by: [
        [
          "  },\n  answers: {\n    id: {",
          `    slider: { type: "number", description: "Place on a slider, as a number." },
  },
  answers: {
    id: {`,
        ],
        [
          "  contact_form: {\n",
          `  slider: {
    about: "a slider",
    in: "answer",
    toldBy: "slider",
    fields: { slider: "value_number" },
    value: "value_number",
    holds: "answer_labels",
    reads: "value",
    besideText: ["_score"],
  },
  contact_form: {
`,
        ],
      ],
      noticedBy: test("test/sandbox/data/answers.test.ts", "holds every kind of answer"),
    },
    {
      file: "sandbox/data/answers.ts",
      by: [
        [
          "({ action_performed: random.below(2) === 1 })],\n",
          `({ action_performed: random.below(2) === 1 })],
  ["numerical_scale", ({ score }) => ({ answer: { slider: 10 * score } })],
`,
        ],
        [
          "  ].map((answer, place) =>",
          `    {
      question_type: "numerical_scale",
      answer: { slider: 70, remark: sentence("answers: unknown field of slider") },
    },
  ].map((answer, place) =>`,
        ],
      ],
      noticedBy: test("test/sandbox/data/answers.test.ts", "holds every kind of answer"),
    },
    {
      file: "spec/service.md",
      by: [
        [
          "| I action | `action_performed`: boolean |\n",
          "| I action | `action_performed`: boolean |\n| J slider | `answer`: `{ slider }` |\n",
        ],
      ],
      noticedBy: test(
        "test/connector/core/answers/answer-kinds.test.ts",
        "are in the document of the service",
      ),
    },
    {
      file: "test/connector/core/streams/answer-rows.test.ts",
      by: [
        [
          '  ["I: an action",',
          '  ["J: a slider", { answer: { slider: 70 } }, [{ answer_type: "slider", value_number: 70 }]],\n  ["I: an action",',
        ],
      ],
      noticedBy: test("test/connector/core/streams/answer-rows.test.ts", "no kind is missing here"),
    },
  ],
};

export const ADDITIONS: readonly Addition[] = [STREAM, SETTING, KIND];
