import {
  type Client,
  given,
  inParallel,
  joined,
  listed,
  type NamedSurveys,
  namesNotIds,
  type Part,
  type Probed,
  probe,
  respondentId,
  SurveyExportError,
  say,
} from "@survey-export/core";
import { beforeSync } from "./advice-before-sync.ts";
import type { Selection } from "./configuration.ts";
import type { Warning } from "./message-writer.ts";

/** At most this many ids are tried, which takes seconds; more only if those are not found. */
const MOST_IDS = 25;

/** An id that was tried, and what was found. */
type Finding = readonly [id: Probed, found: Awaited<ReturnType<typeof probe>>];

/** Tries ids of the configuration: asks for one item of each survey and respondent. */
export class IdTrial {
  readonly #client: Client;
  readonly #ids: readonly Probed[];
  /** By the place of the id. */
  readonly #findings: Finding[] = [];
  readonly #isGood: boolean;

  /** `isGood`: whether it is known already that something of the configuration is there. */
  constructor(
    client: Client,
    { surveyIds, respondentUuids }: Pick<Selection, "surveyIds" | "respondentUuids">,
    isGood = false,
  ) {
    this.#client = client;
    this.#isGood = isGood;
    this.#ids = [
      ...surveyIds.map((surveyId) => ({ surveyId })),
      ...respondentUuids.map((respondentUuid) => ({ respondentUuid })),
    ];
  }

  /** Tries the ids, until the signal is aborted. @throws the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    const tryOne = async (id: Probed, at: number): Promise<void> => {
      const isInDoubt = this.#has("not found") && !this.#isGood && !this.#has("found");
      if (at < MOST_IDS || isInDoubt) this.#findings[at] = [id, await probe(this.#client, id, signal)];
    };
    await inParallel(this.#ids, tryOne, signal);
  }

  /** Whether an id was tried that is there. */
  get hasFound(): boolean {
    return this.#has("found");
  }

  /** Whether an id was tried. */
  get hasTried(): boolean {
    return this.#tried.length > 0;
  }

  /** The surveys that are not there. */
  get missingSurveys(): readonly string[] {
    return this.#missing.flatMap(([id]) => ("surveyId" in id ? id.surveyId : []));
  }

  /**
   * Warnings of the ids that do not answer, while others do, and of those that were not tried. Of their errors, the first
   * is named. `surveys`: the list of surveys, as far as it was read; it may have a name that somebody took for an id.
   */
  remarks(surveys: NamedSurveys): Warning[] {
    return [...this.#failed(), ...this.#notFound(surveys), ...this.#untried()];
  }

  /** Why nothing is found: an error that could be every id's, if there is one. */
  whyNone(surveys: NamedSurveys, baseUrl: string): SurveyExportError {
    const errors = this.#tried
      .map(([, found]) => found)
      .filter((found) => found instanceof SurveyExportError);
    const error = errors.find(({ scope }) => scope === "run") ?? errors[0];
    if (error) return error;
    const names = namesNotIds(this.missingSurveys, surveys);
    const facts = say`The service answered, but found none of the ids that were tried (${listed(this.#tried.map(nameOf))}).`;
    const advice =
      names.length > 0
        ? say`Write the ids of surveys into survey_ids.`
        : say`Correct survey_ids and respondent_uuids, and check that base_url (${given(baseUrl)}) is the service's address up to and including /v2.`;
    return new SurveyExportError("config", "not_found", joined([facts, ...names]), { advice });
  }

  #has(what: string): boolean {
    return this.#findings.some(([, found]) => found === what);
  }

  /** Places of ids that were not tried are empty. */
  get #tried(): readonly Finding[] {
    return this.#findings.filter(Boolean);
  }

  get #missing(): readonly Finding[] {
    return this.#tried.filter(([, found]) => found === "not found");
  }

  #failed(): Warning[] {
    const failed = this.#tried.filter(([, found]) => found instanceof SurveyExportError);
    const [, error] = failed[0] ?? [];
    if (!(error instanceof SurveyExportError)) return [];
    const message = say`These ids cannot be read now: ${listed(failed.map(nameOf))}. ${beforeSync(error).whole} A sync reads the others.`;
    return [{ code: "not_checked", message }];
  }

  #notFound(found: NamedSurveys): Warning[] {
    const surveys = this.missingSurveys;
    const respondents = this.#missing.filter(([id]) => "respondentUuid" in id).map(nameOf);
    const warnings: Warning[] = [];
    if (surveys.length > 0) {
      const facts = say`These surveys were not found: ${listed(surveys.map(given))}.`;
      const advice = say`A sync reads the others, and fails until you remove them from survey_ids or correct their ids.`;
      const message = joined([facts, ...namesNotIds(surveys, found), advice]);
      warnings.push({ code: "surveys_not_found", message });
    }
    if (respondents.length > 0) {
      const message = say`These respondents were not found: ${listed(respondents)}. A sync reads the others, and fails until you remove them from respondent_uuids or correct their ids.`;
      warnings.push({ code: "respondents_not_found", message });
    }
    return warnings;
  }

  #untried(): Warning[] {
    const [tried, all] = [this.#tried.length, this.#ids.length];
    if (tried === all) return [];
    const message = say`Only ${tried} of the ${all} configured surveys and respondents were checked, so that the answer comes in time. Look into the log of the first sync: it names those that it cannot read.`;
    return [{ code: "not_checked", message }];
  }
}

const nameOf = ([id]: Finding): Part =>
  "surveyId" in id ? given(id.surveyId) : respondentId(id.respondentUuid);
