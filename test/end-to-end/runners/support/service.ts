import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleSurveys, type Sandbox, startSandbox } from "../../../../sandbox/index.ts";
import { addUnstorableText } from "../../../support/unstorable-text.ts";

/** The streams and their keys, the parts of a key joined by a space. */
export type Keys = Readonly<
  Record<"survey_responses" | "respondent_responses" | "respondent_attributes", string[]>
>;

/** A survey service with some responses, and a folder with the configuration that reads all of it. */
export interface ServiceToLoad {
  readonly folder: string;
  readonly config: {
    readonly base_url: string;
    readonly api_key: string;
    readonly survey_ids: readonly string[];
  };
  /** New responses, of people known and unknown. */
  collect(): void;
  /** Writes `config.json` with this key in place of the right one. */
  useKey(apiKey: string): void;
  /** The primary keys of all that a destination must hold now. */
  truth(): Keys;
  close(): Promise<void>;
}

export async function startService(): Promise<ServiceToLoad> {
  const folder = mkdtempSync(join(tmpdir(), "runners-"));
  const sandbox: Sandbox = await startSandbox({ surveys: exampleSurveys(300, 7, 3) });
  addUnstorableText(sandbox.service);
  const { truth } = sandbox.service;
  const ids = truth.surveyIds();
  const config = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ids };
  const useKey = (apiKey: string) =>
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...config, api_key: apiKey }));
  useKey(sandbox.apiKey);
  return {
    folder,
    config,
    useKey,
    collect: () => {
      for (const id of ids) sandbox.service.collect(id, { count: 9 });
    },
    truth: () => {
      const responses = ids.flatMap((id) => [...truth.responses(id)].map(({ uuid }) => uuid)).toSorted();
      const respondents = new Set(ids.flatMap((id) => [...truth.respondents(id)]));
      return {
        survey_responses: responses,
        respondent_responses: responses,
        respondent_attributes: [...respondents]
          .flatMap((uuid) => (truth.attributes(uuid) ?? []).map(({ id }) => `${uuid} ${id}`))
          .toSorted(),
      };
    },
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
