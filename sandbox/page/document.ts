import { createHash } from "node:crypto";
import type { ServiceReply } from "../http/reply.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

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
  <section class="card connect" aria-labelledby="connect-title">
    <h2 id="connect-title">Connect</h2>
    <dl id="connect"></dl>
    <p class="hint">Airbyte, n8n and a configuration file ask for these values.</p>
  </section>

  <section class="card minute" aria-labelledby="minute-title">
    <h2 id="minute-title">The last minute</h2>
    <p class="figure"><strong id="started">0</strong> <span id="allowed"></span></p>
    <div class="bar" id="bar" role="meter" aria-labelledby="minute-title" aria-valuemin="0"><div id="used"></div></div>
    <dl class="numbers">
      <div><dt>refused</dt><dd id="refused">0</dd></div>
      <div><dt>in flight</dt><dd id="in-flight">0</dd></div>
    </dl>
    <svg id="seconds" viewBox="0 0 600 64" preserveAspectRatio="none" role="img" aria-label="Requests in each second of the last minute"></svg>
    <p class="axis" aria-hidden="true"><span>60 seconds ago</span><span id="peak"></span><span>now</span></p>
  </section>

  <section class="card surveys" aria-labelledby="surveys-title">
    <h2 id="surveys-title">Surveys</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="surveys-title">
      <table>
        <thead><tr><th scope="col">Survey</th><th scope="col" class="number">Responses</th><th scope="col">Let people answer</th></tr></thead>
        <tbody id="surveys"></tbody>
      </table>
    </div>
    <div class="controls">
      <label>“1 late” is older than the newest response by
        <select id="late">
          <option value="300000">5 minutes</option>
          <option value="3600000">an hour</option>
          <option value="86400000">a day</option>
        </select>
      </label>
    </div>
  </section>

  <section class="card newest" aria-labelledby="newest-title">
    <h2 id="newest-title">Newest responses</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="newest-title">
      <table>
        <thead><tr><th scope="col">Collected (UTC)</th><th scope="col">Survey</th><th scope="col">Respondent</th><th scope="col">With all responses</th></tr></thead>
        <tbody id="newest"></tbody>
      </table>
    </div>
    <form id="remove" class="controls">
      <label>Respondent <input id="respondent" required autocomplete="off" spellcheck="false" placeholder="uuid"></label>
      <button type="submit">Delete with all responses</button>
    </form>
  </section>

  <section class="card faults" aria-labelledby="faults-title">
    <div class="heading">
      <h2 id="faults-title">Faults</h2>
      <span id="active"></span>
      <button type="button" id="all-off">All off</button>
    </div>
    <div id="faults"></div>
    <ul id="other-faults" hidden></ul>
  </section>

  <section class="card requests" aria-labelledby="requests-title">
    <h2 id="requests-title">Requests</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="requests-title">
      <table>
        <thead><tr><th scope="col">Time (UTC)</th><th scope="col">Status</th><th scope="col">Path and query</th><th scope="col">Fault</th></tr></thead>
        <tbody id="requests"></tbody>
      </table>
    </div>
    <p id="no-requests" class="hint">No request yet. Start a program with the values above.</p>
  </section>
</main>
<p id="message" role="status" aria-live="polite"></p>`;

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230f6b5c'/%3E%3Cpath d='M4 12V8m4 4V4m4 8v-2' stroke='%23fff' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

/** Only this style and this script, and requests only to the sandbox itself. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
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
    "x-content-type-options": "nosniff",
  },
  body: DOCUMENT,
};

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
