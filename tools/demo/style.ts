/** The page's style sheet. Its variables are the colours of the charts, too. */
export const STYLE = `
:root { --paper: #fff; --card: #f4f6f8; --ink: #1c2733; --soft: #51606f; --faint: #dde3e9;
  --series-1: #1a5fb4; --series-2: #b3530b; --series-3: #26734d; --series-4: #86399e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #12181f; --card: #1c252f; --ink: #e6edf3; --soft: #a3b1bf; --faint: #303c48;
    --series-1: #7cb7ff; --series-2: #f2a65a; --series-3: #6fcf97; --series-4: #d7a6f2; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 0; font-size: 1.3rem; }
h1 + p, h2 + p { margin: 0.3rem 0 1rem; color: var(--soft); max-width: 42rem; }
section { margin-top: 3rem; }
.tiles, .texts { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.75rem; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); margin-top: 1.5rem; }
.tiles li, .texts li { background: var(--card); border-radius: 0.6rem; padding: 0.9rem 1rem; }
.tiles strong { display: block; font-size: 2rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tiles span, .texts p, footer { color: var(--soft); font-size: 0.9rem; }
.texts { grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
.texts li { border-left: 4px solid var(--series-1); display: flex; flex-direction: column; justify-content: space-between; }
blockquote, .texts p { margin: 0; overflow-wrap: anywhere; }
.texts p { margin-top: 0.4rem; }
figure { margin: 0; }
.wide { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; min-width: 34rem; }
details { margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--soft); font-size: 0.9rem; }
table { border-collapse: collapse; margin-top: 0.5rem; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: right; border-bottom: 1px solid var(--faint); }
th:first-child { text-align: left; font-weight: 500; }
thead th { color: var(--soft); font-weight: 500; }
footer { margin-top: 3rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
`;
