/** The page's style sheet, for light and dark, wide and narrow. */
export const STYLE = `:root { --paper: #fff; --card: #f4f6f8; --ink: #1c2733; --soft: #51606f; --faint: #d5dde4;
  --blue: #1a5fb4; --bad: #b3530b; --good: #26734d; } @media (prefers-color-scheme: dark) { :root { --paper: #12181f;
  --card: #1c252f; --ink: #e6edf3; --soft: #a3b1bf; --faint: #364350; --blue: #7cb7ff; --bad: #f2a65a; --good: #6fcf97; } }
* { box-sizing: border-box; margin: 0; padding: 0; list-style: none; line-height: 1.4; }
body { max-width: 66rem; margin: auto; padding: 2rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font-family: system-ui, sans-serif; overflow-wrap: anywhere; } h2 { font-size: 1.3rem; } h3 { font-size: 1rem; }
section, footer { margin-top: 2.5rem; } h4 { font-size: 0.9rem; margin-top: 0.7rem; } h4:empty { display: none; }
p, figcaption, b, td, summary span { color: var(--soft); font-weight: 400; font-size: 0.9rem; }
.tiles, .grid { display: grid; gap: 0.75rem; margin-top: 1rem; align-items: start; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); } .tiles strong { display: block; white-space: nowrap; font-size: 1.3rem; }
.grid { grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
.tiles p, article { background: var(--card); border-radius: 0.6rem; padding: 0.9rem 1rem; min-width: 0; }
strong { font-size: 1.5rem; color: var(--ink); margin-inline-end: 0.4rem; }
svg { display: block; width: 100%; height: 2.5rem; margin-top: 0.7rem; border-bottom: 1px solid var(--faint); fill: var(--blue); }
.tiles + section svg { height: 8rem; } polyline { fill: none; stroke: var(--blue); vector-effect: non-scaling-stroke; }
figcaption, summary, li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
li { margin-top: 0.4rem; font-size: 0.9rem; } li span, h2 { flex: 1; min-width: 0; } summary h2 { flex-basis: 14rem; }
li div { flex: 1 0 100%; height: 0.5rem; border-radius: 0.25rem; overflow: hidden; background: var(--faint); }
i { display: block; height: 100%; background: var(--blue); } .passives { background: var(--soft); }
.detractors { background: var(--bad); } .promoters { background: var(--good); }
details { border-top: 1px solid var(--faint); padding: 1rem 0; margin-top: 1rem; } summary { cursor: pointer; }
summary h2::before { content: "▸ "; color: var(--soft); } [open] h2::before { content: "▾ "; }
article:has(blockquote) { grid-column: 1 / -1; } blockquote { margin-top: 0.6rem; padding-inline-start: 0.7rem;
  border-inline-start: 3px solid var(--blue); } table { border-collapse: collapse; margin-top: 1rem; }
td { padding: 0.4rem 0.8rem 0.4rem 0; vertical-align: top; border-bottom: 1px solid var(--faint); }
td:first-child { width: 35%; color: var(--ink); }`;
