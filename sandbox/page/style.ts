/** The style of the page: light and dark by the browser's setting, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f6f5; --card: #ffffff; --text: #17211f; --quiet: #56635f; --line: #d9e0dd;
  --accent: #0f6b5c; --on-accent: #ffffff; --track: #e4eae7;
  --good: #0f6b5c; --wait: #8a5a00; --bad: #b3261e; --flash: #cdeee5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #111615; --card: #1a2120; --text: #e6edea; --quiet: #9fb0aa; --line: #303b38;
    --accent: #5bc9b1; --on-accent: #08211b; --track: #2a3432;
    --good: #6fd3bd; --wait: #e9b44c; --bad: #ff8a80; --flash: #1f4f45;
  }
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
.state { display: flex; align-items: center; gap: 8px; font-weight: 600; color: var(--quiet); }
.state::before { content: ""; width: 10px; height: 10px; border-radius: 50%; background: currentColor; flex: none; }
.state.serving { color: var(--good); }
.state.gone { color: var(--bad); }
main { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); gap: 16px; padding-bottom: 72px; align-items: start; grid-template-areas: "connect minute" "surveys faults" "newest faults" "requests faults"; grid-template-rows: auto auto auto 1fr; }
.connect { grid-area: connect; align-self: stretch; } .minute { grid-area: minute; align-self: stretch; } .surveys { grid-area: surveys; } .faults { grid-area: faults; } .requests { grid-area: requests; } .newest { grid-area: newest; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; min-width: 0; }
.hint { color: var(--quiet); margin: 12px 0 0; font-size: 14px; }
code, .time, #respondent { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 13px; }
button, select, input { font: inherit; color: inherit; }
button { min-height: 32px; padding: 3px 12px; border: 1px solid var(--line); border-radius: 7px; background: var(--page); cursor: pointer; }
button:hover:not(:disabled) { border-color: var(--accent); }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
select, input { min-height: 34px; padding: 3px 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--page); }
dl { margin: 0; }
#connect > div { display: grid; grid-template-columns: 90px minmax(0, 1fr); gap: 8px; align-items: center; padding: 6px 0; border-top: 1px solid var(--line); }
#connect > div:first-child { border-top: 0; }
#connect dt { color: var(--quiet); }
#connect dd { margin: 0; display: flex; gap: 12px; align-items: center; justify-content: space-between; }
#connect code { overflow-wrap: anywhere; font-size: 14px; max-height: 6em; overflow: auto; }
.copy { min-height: 28px; padding: 1px 9px; font-size: 13px; flex: none; }
.figure { margin: 0 0 8px; color: var(--quiet); }
.figure strong { font-size: 30px; line-height: 1; color: var(--text); font-variant-numeric: tabular-nums; }
.bar { height: 12px; border-radius: 6px; background: var(--track); overflow: hidden; }
#used { height: 100%; width: 0; background: var(--accent); }
.bar.full #used { background: var(--bad); }
.numbers { display: flex; gap: 24px; margin: 10px 0 14px; }
.numbers > div { display: flex; gap: 7px; flex-direction: row-reverse; align-items: baseline; }
.numbers dt { color: var(--quiet); } .numbers dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); }
#seconds { display: block; width: 100%; height: 64px; border-bottom: 1px solid var(--line); }
#seconds .answered { fill: var(--accent); } #seconds .refused { fill: var(--bad); }
.axis { display: flex; justify-content: space-between; margin: 4px 0 0; color: var(--quiet); font-size: 12px; }
.scroll { overflow: auto; max-height: 460px; margin: 0 -18px; padding: 0 18px; }
table { border-collapse: collapse; width: 100%; }
thead th { position: sticky; top: 0; background: var(--card); font-size: 12px; font-weight: 600; color: var(--quiet); text-align: left; padding: 0 12px 6px 0; white-space: nowrap; z-index: 1; }
tbody th, td { border-top: 1px solid var(--line); padding: 8px 12px 8px 0; text-align: left; vertical-align: middle; font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
thead th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; padding-right: 20px; }
td.count { font-weight: 600; }
.changed { animation: changed 1.6s ease-out; }
@keyframes changed { from { background: var(--flash); } }
.name { display: block; font-weight: 600; overflow-wrap: anywhere; }
.id { display: flex; gap: 8px; align-items: center; color: var(--quiet); }
.time { white-space: nowrap; color: var(--quiet); }
.buttons { white-space: nowrap; }
.buttons button { min-width: 42px; } .buttons button + button { margin-left: 6px; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; border-top: 1px solid var(--line); padding-top: 12px; margin-top: 12px; color: var(--quiet); }
.scroll + .controls { margin-top: 0; }
.controls label { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; flex: 0 1 auto; }
.controls button, .controls select, .controls input { color: var(--text); }
form.controls label { flex: 1 1 320px; flex-wrap: nowrap; }
#respondent { flex: 1; min-width: 0; }
.heading { display: flex; align-items: center; gap: 12px; }
.heading h2 { margin: 0; } .heading button { margin-left: auto; }
#active { color: var(--quiet); font-size: 14px; } #active.bad { color: var(--bad); font-weight: 600; }
ul { list-style: none; margin: 0; padding: 0; }
#faults li { padding: 5px 0; }
#faults li p { margin: 1px 0 0 46px; font-size: 13px; color: var(--quiet); }
.progress { color: var(--bad); font-weight: 600; }
[role="switch"] { display: flex; gap: 10px; align-items: center; border: 0; background: none; padding: 2px 0; min-height: 26px; text-align: left; border-radius: 4px; }
.knob { width: 36px; height: 20px; border-radius: 10px; background: var(--track); border: 1px solid var(--quiet); position: relative; flex: none; }
.knob::after { content: ""; position: absolute; top: 2px; left: 2px; width: 14px; height: 14px; border-radius: 50%; background: var(--quiet); transition: left .12s; }
[aria-checked="true"] .knob { background: var(--bad); border-color: var(--bad); }
[aria-checked="true"] .knob::after { left: 18px; background: var(--card); }
[aria-checked="true"] { font-weight: 600; }
#other-faults { border-top: 1px solid var(--line); margin-top: 10px; padding-top: 10px; font-size: 13px; color: var(--quiet); }
.requests td { padding-top: 4px; padding-bottom: 4px; vertical-align: baseline; }
.path code { overflow-wrap: anywhere; }
.status { white-space: nowrap; font-weight: 600; font-size: 13px; }
.status.good { color: var(--good); } .status.wait { color: var(--wait); } .status.bad { color: var(--bad); }
#message { position: fixed; left: 50%; bottom: 18px; transform: translateX(-50%); margin: 0; max-width: calc(100vw - 32px); padding: 10px 16px; border-radius: 8px; background: var(--text); color: var(--card); visibility: hidden; overflow-wrap: anywhere; z-index: 2; }
#message.shown, #message.failed { visibility: visible; }
#message.failed { background: var(--bad); }
@media (max-width: 900px) {
  main { grid-template-columns: minmax(0, 1fr); grid-template-areas: "connect" "minute" "surveys" "newest" "faults" "requests"; grid-template-rows: none; }
}
@media (max-width: 560px) {
  header, main { padding-left: 12px; padding-right: 12px; }
  .requests .scroll { max-height: none; } .surveys .scroll { max-height: 85vh; } td.count { white-space: nowrap; }
  .card { padding: 14px; } .scroll { margin: 0 -14px; padding: 0 14px; }
  #connect > div { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  .surveys thead, .requests thead, .newest thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .surveys tr { display: grid; grid-template-columns: 1fr auto; border-top: 1px solid var(--line); padding: 8px 0; gap: 0 8px; }
  .surveys tbody th, .surveys td { border: 0; padding: 2px 0; }
  .surveys td.buttons { grid-column: 1 / -1; padding-top: 4px; }
  .surveys td.count::after { content: " responses"; font-weight: 400; color: var(--quiet); }
  .surveys td.buttons::before { content: "Let people answer"; display: block; font-size: 13px; color: var(--quiet); margin-bottom: 3px; }
  [role="switch"] { min-height: 40px; }
  .newest .scroll { max-height: none; } .newest tr { display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: 0 12px; border-top: 1px solid var(--line); padding: 6px 0; }
  .newest td { border: 0; padding: 0; } .newest td.path { grid-row: 2; grid-column: 1 / 3; } .newest td.buttons { grid-row: 1 / 3; grid-column: 3; }
  .requests tr { display: grid; grid-template-columns: auto auto 1fr; gap: 0 12px; border-top: 1px solid var(--line); padding: 6px 0; }
  .requests td { border: 0; padding: 0; } .requests td.path { grid-row: 2; grid-column: 1 / -1; }
  .buttons button { min-height: 40px; min-width: 56px; } .copy { min-height: 34px; }
  form.controls label { flex-wrap: wrap; } #respondent { flex: 1 0 100%; }
}
@media (prefers-reduced-motion: reduce) { .changed { animation: none; } .knob::after { transition: none; } }
@media (forced-colors: active) { #used, .knob::after { background: CanvasText; } #seconds rect { fill: CanvasText; } }
`;
