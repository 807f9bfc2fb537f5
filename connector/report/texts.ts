import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The page's style sheet. The build puts the text in the place of this module. */
export const STYLE = readFileSync(join(import.meta.dirname, "page.css"), "utf8");
