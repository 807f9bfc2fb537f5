/** The style of the page: light and dark by the browser's setting, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f6f5, #111615); --card: light-dark(#ffffff, #1a2120); --line: light-dark(#d9e0dd, #303b38);
  --text: light-dark(#17211f, #e6edea); --quiet: light-dark(#56635f, #9fb0aa); --track: light-dark(#e4eae7, #2a3432);
  --good: light-dark(#0f6b5c, #6fd3bd); --wait: light-dark(#8a5a00, #e9b44c); --bad: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, "Liberation Sans", sans-serif; }
header, main { max-width: 1320px; margin: 0 auto; padding: 0 20px; }
header { display: flex; flex-wrap: wrap; gap: 4px 24px; justify-content: space-between; align-items: start; padding-top: 22px; padding-bottom: 16px; }
h1 { font-size: 23px; margin: 0; line-height: 1.2; }
h2 { font-size: 16px; margin: 0 0 12px; }
h3 { font-size: 12px; margin: 14px 0 6px; color: var(--quiet); text-transform: uppercase; letter-spacing: .05em; }
header p { margin: 4px 0 0; color: var(--quiet); max-width: 70ch; }
.state { display: flex; align-items: center; gap: 8px; font-weight: 600; }
.state::before { content: ""; width: 10px; height: 10px; border-radius: 50%; background: currentColor; flex: none; }
.state.serving { color: var(--good); }
.state.gone, .bad { color: var(--bad); }
main { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); gap: 16px; padding-bottom: 72px; align-items: start; grid-template-areas: "connect minute" "surveys faults" "newest faults" "requests faults"; grid-template-rows: auto auto auto 1fr; }
.connect { grid-area: connect; align-self: stretch; } .minute { grid-area: minute; } .surveys { grid-area: surveys; }
.faults { grid-area: faults; position: relative; } .newest { grid-area: newest; } .requests { grid-area: requests; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; min-width: 0; }
.hint { color: var(--quiet); margin: 12px 0; font-size: 14px; }
code, .time, #respondent { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 13px; }
button, input { font: inherit; color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: 7px; min-height: 32px; padding: 3px 12px; }
button { cursor: pointer; }
button:hover:not(:disabled) { border-color: var(--good); }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; }
dl, dd, ul { margin: 0; padding: 0; list-style: none; }
#connect > div { display: grid; grid-template-columns: 90px minmax(0, 1fr); gap: 8px; align-items: center; padding: 6px 0; border-top: 1px solid var(--line); }
#connect > div:first-child { border-top: 0; }
#connect dt { color: var(--quiet); }
#connect dd { display: flex; gap: 12px; align-items: center; justify-content: space-between; }
#connect code { overflow-wrap: anywhere; max-height: 6em; overflow: auto; }
.figure { margin: 0 0 8px; color: var(--quiet); }
.figure strong { font-size: 30px; line-height: 1; color: var(--text); }
.figure, .hint, .number { font-variant-numeric: tabular-nums; }
progress { width: 100%; height: 12px; accent-color: var(--good); }
#seconds { display: block; width: 100%; height: 64px; border-bottom: 1px solid var(--line); }
.answered { fill: var(--good); } .refused { fill: var(--bad); }
.axis { display: flex; justify-content: space-between; margin: 4px 0 0; color: var(--quiet); font-size: 12px; }
.scroll { overflow: auto; max-height: 460px; }
table { border-collapse: collapse; width: 100%; }
thead th { position: sticky; top: 0; background: var(--card); font-size: 12px; font-weight: 600; color: var(--quiet); text-align: left; padding: 0 12px 6px 0; white-space: nowrap; z-index: 1; }
tbody th, td { border-top: 1px solid var(--line); padding: 8px 12px 8px 0; text-align: left; font-weight: 400; }
.number, .name { font-weight: 600; }
.name { display: block; overflow-wrap: anywhere; }
.time { white-space: nowrap; color: var(--quiet); }
.buttons { white-space: nowrap; }
.buttons button + button { margin-left: 6px; }
form { display: flex; flex-wrap: wrap; gap: 8px 12px; border-top: 1px solid var(--line); padding-top: 12px; color: var(--quiet); }
form label { display: flex; gap: 8px; align-items: center; flex: 1 1 320px; }
#respondent { flex: 1; min-width: 0; }
.switched { position: absolute; top: 12px; right: 18px; margin: 0; font-size: 14px; color: var(--quiet); }
#active.bad { color: var(--bad); }
#faults p { margin: 1px 0 10px 46px; font-size: 13px; color: var(--quiet); }
.progress { color: var(--bad); font-weight: 600; }
[role="switch"] { display: flex; gap: 10px; align-items: center; border: 0; background: none; padding: 2px 0; text-align: left; }
.knob { width: 36px; height: 20px; border-radius: 10px; background: var(--track); border: 1px solid var(--quiet); position: relative; flex: none; }
.knob::after { content: ""; position: absolute; top: 2px; left: 2px; width: 14px; height: 14px; border-radius: 50%; background: var(--quiet); }
[aria-checked="true"] { font-weight: 600; }
[aria-checked="true"] .knob { background: var(--bad); border-color: var(--bad); }
[aria-checked="true"] .knob::after { left: 18px; background: var(--card); }
.requests td { padding-top: 4px; padding-bottom: 4px; vertical-align: baseline; }
.path code { overflow-wrap: anywhere; }
.status { white-space: nowrap; font-weight: 600; font-size: 13px; }
.status.good { color: var(--good); } .status.wait { color: var(--wait); } .status.bad { color: var(--bad); }
#message { position: fixed; left: 50%; bottom: 18px; transform: translateX(-50%); margin: 0; max-width: calc(100vw - 32px); padding: 10px 16px; border-radius: 8px; background: var(--text); color: var(--card); visibility: hidden; overflow-wrap: anywhere; z-index: 2; }
#message.shown, #message.failed { visibility: visible; }
#message.failed { background: var(--bad); }
@media (max-width: 900px) {
  main { display: block; }
  .card { margin-bottom: 16px; }
}
@media (max-width: 560px) {
  header, main { padding-left: 12px; padding-right: 12px; }
  .surveys .scroll { max-height: 640px; }
  .newest .scroll { max-height: none; }
  thead { display: none; }
  tbody tr { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 4px 12px; border-top: 1px solid var(--line); padding: 6px 0; }
  tbody th, td { border: 0; padding: 0; }
  td.path { grid-row: 2; grid-column: 1; }
  td.count::after { content: " responses"; font-weight: 400; color: var(--quiet); }
  button { min-height: 40px; }
  form label { flex-basis: 100%; }
}
`;
