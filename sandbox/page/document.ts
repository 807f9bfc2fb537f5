import { createHash } from "node:crypto";
import type { ServiceReply } from "../http/request-and-reply.ts";
import { BODY } from "./body.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

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
