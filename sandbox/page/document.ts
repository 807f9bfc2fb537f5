import { createHash } from "node:crypto";
import type { ServiceReply } from "../http/request.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** A part of the page with a heading. */
const card = (name: string, title: string, content: string): string => `
<section class="card ${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${title}</h2>
${content}
</section>`;

/** A table whose rows the script writes. `empty`: what it says without one. */
const table = (id: string, empty: string, ...columns: string[]): string => `
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}-title"><table>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join("")}</tr></thead>
<tbody id="${id}"></tbody>
</table></div>
<p id="no-${id}" class="hint" hidden>${empty}</p>`;

/** The page without its data. The script finds each place by its id. */
const BODY = `<header>
<div>
<h1>Sandbox of the survey service</h1>
<p>Try a program against it: let people answer, delete somebody, or switch on a fault, and see what the program asks.</p>
</div>
<p id="state" class="state" role="status">Loading</p>
</header>
<noscript><p class="card">This page needs JavaScript.</p></noscript>
<main>
${card(
  "connect",
  "Connect",
  `<dl id="connect"></dl>
<p class="hint">Airbyte, n8n and a configuration file ask for these values.</p>`,
)}
${card(
  "minute",
  "The last minute",
  `<p class="figure"><strong id="started">0</strong> <span id="allowed"></span></p>
<progress id="bar" aria-labelledby="minute-title"></progress>
<p class="hint"><strong id="refused">0</strong> refused, <strong id="in-flight">0</strong> in flight</p>
<svg id="seconds" viewBox="0 0 600 64" preserveAspectRatio="none" role="img" aria-label="Requests in each second of the last minute"></svg>
<p class="axis" aria-hidden="true"><span>60 seconds ago</span><span id="peak"></span><span>now</span></p>`,
)}
${card(
  "surveys",
  "Surveys",
  `${table("surveys", "There is no survey.", "Survey", "Responses", "Let people answer")}
<p class="hint"><button type="button" id="grow">Let all finish</button> who have only begun</p>`,
)}
${card(
  "newest",
  "Newest responses",
  `${table("newest", "No response yet. Let people answer a survey.", "Collected (UTC)", "Survey", "Respondent", "Delete respondent")}
<form id="remove">
<label>Respondent <input id="respondent" required autocomplete="off" spellcheck="false" placeholder="uuid"></label>
<button type="submit">Delete with all responses</button>
</form>`,
)}
${card(
  "faults",
  "Faults",
  `<p class="switched"><span id="active"></span> <button type="button" id="all-off">All off</button></p>
<div id="faults"></div>`,
)}
${card(
  "requests",
  "Requests",
  table(
    "requests",
    "No request yet. Start a program with the values above.",
    ...["Time (UTC)", "Status", "Path and query", "Fault"],
  ),
)}
</main>
<p id="message" role="status" aria-live="polite"></p>`;

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230f6b5c'/%3E%3Cpath d='M4 12V8m4 4V4m4 8v-2' stroke='%23fff' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Only this style and this script, and requests only to the sandbox itself. */
const POLICY = [
  `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; connect-src 'self'`,
  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join("; ");

const DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox of the survey service</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
${BODY}
<script>${SCRIPT}</script>
</body>
</html>
`;

/** The page of the sandbox. It holds no data: its script asks for `/sandbox/page-data` and writes it as text. */
export const pageReply: ServiceReply = {
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  },
  body: DOCUMENT,
};
