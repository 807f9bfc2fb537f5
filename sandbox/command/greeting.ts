import type { Sandbox } from "../server.ts";
import type { ReadyFiles } from "./ready-files.ts";

/** The text that the command prints when the service is up: its data, and commands to try. */
export function greeting(sandbox: Sandbox, files: ReadyFiles): string {
  const { truth } = sandbox.service;
  const ids = truth.surveyIds();
  const counts = ids.slice(0, 5).map((id) => `${id} (${truth.count(id)} responses)`);
  const more = ids.length > 5 ? `, and ${ids.length - 5} more` : "";
  const control = new URL("/sandbox/", sandbox.url).href;
  const firstId = ids[0]!;
  return `The sandbox is serving. Stop it with Ctrl-C.

  address      ${sandbox.url}
  key          ${sandbox.apiKey}
  surveys      ${counts.join(", ")}${more}
  respondents  ${respondents(sandbox).join(", ")}

Run the source against it, in another terminal:

  npx . check    --config ${files.config}
  npx . discover --config ${files.config}
  npx . read     --config ${files.config} --catalog ${files.catalog}

Let three respondents answer, and read again with the state that the first read printed:

  curl -X POST "${control}collect?survey_id=${firstId}&count=3"

Ask the service yourself, or ask the sandbox what it saw:

  curl -H "Authorization: Basic ${sandbox.apiKey}" "${sandbox.url}/surveys/${firstId}/responses?items_per_page=2"
  curl "${control}stats"
`;
}

/** A few respondents. */
function respondents({ service: { truth } }: Sandbox): string[] {
  const few = new Set<string>();
  for (const id of truth.surveyIds()) {
    for (const response of truth.responses(id)) {
      if (few.size >= 2) return [...few];
      few.add(response.respondent_uuid);
    }
  }
  return [...few];
}
