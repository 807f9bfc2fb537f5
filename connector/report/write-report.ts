import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { given, SurveyExportError, say } from "@survey-export/core";
import { GENERATOR, report } from "./report.ts";

/**
 * Writes the page about a database next to it, with the extension .html, for the owner alone. It replaces an earlier page,
 * and no other file.
 * @returns the address of the page
 * @throws SurveyExportError `invalid_configuration`; an error of the file system
 */
export function writeReport(path: string, options: { readonly hasTexts: boolean }): string {
  const page = `${resolve(path).replace(/\.[^./]*$/, "")}.html`;
  if (existsSync(page) && !readFileSync(page, "utf8").includes(GENERATOR)) {
    const advice = say`Move it away, and run again.`;
    const facts = say`The page would replace ${given(page)}, which is not an earlier page.`;
    throw new SurveyExportError("config", "invalid_configuration", facts, { advice });
  }
  const html = report(path, options);
  rmSync(`${page}.new`, { force: true });
  writeFileSync(`${page}.new`, html, { mode: 0o600, flag: "wx" });
  renameSync(`${page}.new`, page);
  return pathToFileURL(page).href;
}
