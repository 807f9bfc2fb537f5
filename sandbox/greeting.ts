import { dirname, join } from "node:path";
import type { ReadyFiles } from "./ready-files.ts";
import type { Sandbox } from "./server/server.ts";

/** The text that the command prints when the service is up: its data, and commands to try. */
export function greeting(sandbox: Sandbox, files: ReadyFiles, requestsPerMinute: number | false): string {
  const { truth } = sandbox.service;
  const ids = truth.surveyIds();
  const counts = ids.slice(0, 5).map((id) => `${id} (${truth.count(id)} responses)`);
  const more = ids.length > 5 ? `, and ${ids.length - 5} more` : "";
  const control = new URL("/sandbox/", sandbox.url).href;
  const [firstId = ""] = ids;
  return `The sandbox is serving. Stop it with Ctrl-C. Its page shows the requests as they arrive, and has buttons
that let people answer, delete somebody, and switch faults on.

  page         ${new URL("/", sandbox.url).href}
  address      ${sandbox.url}
  key          ${sandbox.apiKey}
  surveys      ${counts.join(", ")}${more}
  respondents  ${someRespondents(sandbox).join(", ")}

${notices(files)}Run the source against it, in another terminal:

  npx . check    --config ${files.config}
  npx . discover --config ${files.config}
${files.catalog === undefined ? "" : `  ${read(files, "first.jsonl")}\n`}
${limit(requestsPerMinute)}
Let three people answer, and read what is new. The first read's output holds the state:

  curl -X POST "${control}collect?survey_id=${firstId}&count=3"
${files.catalog === undefined ? "" : `  ${read(files, "second.jsonl", "first.jsonl")}\n`}
Ask the service yourself, or ask the sandbox for its counts:

  curl -H "Authorization: Basic ${sandbox.apiKey}" "${sandbox.url}/surveys/${firstId}/responses?items_per_page=2"
  curl "${control}stats"
`;
}

/** The command that reads into a file beside the configuration, from the state in another such file. */
function read({ config, catalog }: ReadyFiles, output: string, state?: string): string {
  const beside = (file: string): string => join(dirname(config), file);
  const from = state === undefined ? "" : ` --state ${beside(state)}`;
  return `npx . read     --config ${config} --catalog ${catalog}${from} > ${beside(output)}`;
}

function notices({ occupied, problem, config }: ReadyFiles): string {
  const lines: string[] = [];
  if (occupied !== undefined) {
    lines.push(
      `The files in ${occupied} belong to a sandbox that still runs, or to another service. They stay as`,
      `they are. The files of this sandbox are beside ${config}.\n`,
    );
  }
  if (problem !== undefined) lines.push(`No catalog was written. ${problem}\n`);
  return lines.map((line) => `${line}\n`).join("");
}

function limit(requestsPerMinute: number | false): string {
  if (requestsPerMinute === false) return "This sandbox has no limit of requests per minute.\n";
  return `Like the real service, the sandbox allows ${requestsPerMinute} requests a minute. A read takes seconds. If you
read several times in a row, you reach the limit, and a read then waits for up to a minute. To try
without the limit, start the sandbox with: npm run sandbox -- --requests-per-minute 0
`;
}

/** A few respondents. */
function someRespondents({ service: { truth } }: Sandbox): string[] {
  const few = new Set<string>();
  for (const id of truth.surveyIds()) {
    for (const response of truth.responses(id)) {
      if (few.size >= 2) return [...few];
      few.add(response.respondent_uuid);
    }
  }
  return [...few];
}
