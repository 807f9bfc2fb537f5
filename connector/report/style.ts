/** The style sheet of the page, for light and dark, wide and narrow. */
export const STYLE = `
:root { --paper: #ffffff; --card: #f4f6f8; --ink: #1c2733; --soft: #51606f; --faint: #d5dde4; --blue: #1a5fb4;
  --bad: #b3530b; --good: #26734d; }
@media (prefers-color-scheme: dark) { :root { --paper: #12181f; --card: #1c252f; --ink: #e6edf3; --soft: #a3b1bf;
  --faint: #364350; --blue: #7cb7ff; --bad: #f2a65a; --good: #6fcf97; } }
* { box-sizing: border-box; margin: 0; padding: 0; list-style: none; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 2rem; line-height: 1.2; } h2 { font-size: 1.3rem; line-height: 1.3; } h3 { font-size: 1rem; }
section, footer { margin-top: 2.75rem; }
p, figcaption, .tiles span, summary span, b, footer, th, td { color: var(--soft); font-size: 0.9rem; font-weight: 400; }
.tiles, .questions { display: grid; gap: 0.75rem; margin-top: 1rem; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); }
.questions { grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); align-items: start; }
.tiles li, article { background: var(--card); border-radius: 0.6rem; padding: 0.9rem 1rem; min-width: 0; }
strong { font-size: 1.6rem; line-height: 1.3; color: var(--ink); margin-inline-end: 0.35rem; }
.tiles strong { display: block; }
svg { display: block; width: 100%; height: 2.5rem; margin-top: 0.75rem; border-bottom: 1px solid var(--faint); }
.total svg { height: 8rem; } article svg { border: 0; }
path { fill: var(--blue); } path:hover { fill: var(--ink); }
polyline, line { fill: none; stroke: var(--blue); stroke-width: 2.5; vector-effect: non-scaling-stroke; }
line { stroke: var(--faint); stroke-width: 1; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; padding-top: 0.2rem; }
details { border-top: 1px solid var(--faint); padding: 1rem 0; margin-top: 1rem; }
summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: 0.1rem 0.7rem; align-items: baseline; }
summary h2 { flex: 1 1 16rem; min-width: 0; }
summary::before { content: "▸"; color: var(--soft); } [open] > summary::before { content: "▾"; }
.rows li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; margin-top: 0.5rem; }
.rows span { flex: 1; min-width: 0; font-size: 0.9rem; }
.bar { flex: 1 0 100%; display: flex; height: 0.5rem; margin: 0.15rem 0; border-radius: 0.25rem; overflow: hidden;
  background: var(--faint); }
.nps .bar { height: 0.8rem; border-radius: 0.4rem; }
.bar i { background: var(--blue); border-inline-end: 1px solid var(--card); } .bar i:nth-child(even) { opacity: 0.6; }
.nps .p1 { background: var(--bad); } .nps .p2 { background: var(--soft); } .nps .p3 { background: var(--good); }
.nps .bar i { opacity: 1; }
.texts li { border-inline-start: 3px solid var(--blue); padding-inline-start: 0.7rem; margin-top: 0.6rem; }
blockquote { white-space: pre-line; font-size: 0.95rem; }
table { border-collapse: collapse; width: 100%; margin-top: 1rem; }
th, td { padding: 0.45rem 1rem 0.45rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--faint); }
td:first-child { width: 35%; color: var(--ink); }
@media (max-width: 44rem) { main { padding: 1.5rem 1rem 2rem; } .tiles { grid-template-columns: 1fr 1fr; }
  .tiles strong { font-size: 1.3rem; } th, td { padding-inline-end: 0.6rem; } }
`;
