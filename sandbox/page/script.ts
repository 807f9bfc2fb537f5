/**
 * The script of the page, for a browser. It asks for the data each second and writes all of it as text, so that no
 * name of a survey and no path of a request can become an element. It has no backquote and no backslash.
 */
export const SCRIPT = `"use strict";
const EVERY_MS = 1000;
const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");
let data;

/** An element with this text. Properties that begin with "data-" or "aria-", and "role", become attributes. */
function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** Writes a text only if it changed, so that a selection stays. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

let messageTimer;
function say(text, failed) {
  const place = byId("message");
  clearTimeout(messageTimer);
  place.className = failed ? "failed" : "shown";
  place.textContent = text;
  messageTimer = setTimeout(() => { place.className = ""; }, failed ? 8000 : 4000);
}

/** Asks a control route. Throws the sentence of its answer if it refuses. */
async function ask(method, path, body) {
  const headers = { "content-type": "application/json" };
  const options = method === "GET" ? { method } : { method, headers, body: body && JSON.stringify(body) };
  const answer = await fetch("/sandbox/" + path, { ...options, cache: "no-store" });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

/** Does what a button is for, shows the new data at once, and says what came of it. */
async function act(work) {
  try {
    const done = await work();
    await refresh();
    say(done);
  } catch (thrown) {
    say(thrown instanceof TypeError ? "The sandbox does not answer." : thrown.message, true);
  }
}

async function copy(value, button) {
  try {
    await navigator.clipboard.writeText(value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function copyButton(what, value) {
  const button = element("button", { type: "button", className: "copy", "aria-label": "Copy " + what }, "Copy");
  button.addEventListener("click", () => copy(value(), button));
  return button;
}

// ── Connect ──
function showConnect() {
  const values = {
    "Base URL": location.origin + data.basePath,
    "API key": data.apiKey,
    "Survey ids": data.surveys.map((survey) => survey.id).join(", "),
  };
  for (const [name, value] of Object.entries(values)) {
    const id = "connect-" + name.toLowerCase().replaceAll(" ", "-");
    if (byId(id) === null) {
      const place = element("code", { id });
      const row = element("dd", {}, place, copyButton(name, () => place.textContent));
      byId("connect").append(element("div", {}, element("dt", {}, name), row));
    }
    write(byId(id), value);
  }
}

// ── The last minute ──
function showMinute() {
  const { load, seconds } = data;
  const sum = (name) => seconds.reduce((all, second) => all + second[name], 0);
  const refused = sum("refused");
  const limited = load.perMinute !== false;
  const started = limited ? load.startsInLastMinute : sum("answered");
  write(byId("started"), count(started));
  write(byId("allowed"), limited ? "of " + count(load.perMinute) + " requests started" : "requests started, no limit");
  write(byId("refused"), count(refused));
  byId("refused").classList.toggle("bad", refused > 0);
  write(byId("in-flight"), load.inFlight + (load.concurrent === false ? "" : " of " + load.concurrent));
  const bar = byId("bar");
  bar.hidden = !limited;
  bar.setAttribute("aria-valuemax", load.perMinute || 0);
  bar.setAttribute("aria-valuenow", started);
  byId("used").style.width = limited ? Math.min(100, (100 * started) / load.perMinute) + "%" : "0";
  bar.classList.toggle("full", limited && started >= load.perMinute);
  showSeconds(seconds);
}

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 64;

/** One bar for each second, with its refused requests on top. */
function showSeconds(seconds) {
  const chart = byId("seconds");
  const most = Math.max(...seconds.map(({ answered, refused }) => answered + refused));
  while (chart.childElementCount < 2 * seconds.length) chart.append(document.createElementNS(SVG, "rect"));
  seconds.forEach(({ answered, refused }, place) => {
    const high = (HEIGHT * answered) / (most || 1);
    const top = (HEIGHT * refused) / (most || 1);
    placeBar(chart.children[2 * place], place, HEIGHT - high, high, "answered");
    placeBar(chart.children[2 * place + 1], place, HEIGHT - high - top, top, "refused");
  });
  write(byId("peak"), "most in a second: " + count(most));
}

function placeBar(rect, place, y, height, name) {
  const values = { x: place * 10, y, width: 8, height, class: name };
  for (const [key, value] of Object.entries(values)) rect.setAttribute(key, value);
}

// ── Surveys ──
function surveyRow({ id }) {
  const late = byId("late");
  const button = (text, label, what, done) => {
    const made = element("button", { type: "button", "aria-label": label + " survey " + id }, text);
    made.addEventListener("click", () => act(async () => {
      await ask("POST", "collect?survey_id=" + encodeURIComponent(id) + what());
      return done();
    }));
    return made;
  };
  const name = element("span", { className: "name" });
  return element("tr", { "data-id": id },
    element("th", { scope: "row" }, name, element("span", { className: "id" }, element("code", {}, id), copyButton("survey id " + id, () => id))),
    element("td", { className: "number count" }),
    element("td", { className: "buttons" },
      button("1", "Let 1 person answer", () => "&count=1", () => "1 person answered survey " + id + "."),
      button("50", "Let 50 people answer", () => "&count=50", () => "50 people answered survey " + id + "."),
      button("1 late", "Let 1 response arrive late for", () => "&count=1&late_by_ms=" + late.value,
        () => "One response to survey " + id + " arrived late by " + late.selectedOptions[0].text + ".")));
}

function showSurveys() {
  const body = byId("surveys");
  const rows = new Map([...body.children].map((row) => [row.dataset.id, row]));
  for (const survey of data.surveys) {
    const row = rows.get(survey.id) || body.appendChild(surveyRow(survey));
    rows.delete(survey.id);
    write(row.querySelector(".name"), survey.name);
    const place = row.querySelector(".count");
    const text = count(survey.count);
    if (place.textContent !== "" && place.textContent !== text) flash(place);
    write(place, text);
  }
  for (const row of rows.values()) row.remove();
}

function flash(place) {
  place.classList.remove("changed");
  void place.offsetWidth;
  place.classList.add("changed");
}

// ── The newest responses ──
function newestRow({ uuid, survey_id, respondent_uuid, collected_at }) {
  const day = collected_at.slice(0, 10);
  const today = day === new Date().toISOString().slice(0, 10);
  const remove = element("button", { type: "button", "aria-label": "Delete respondent " + respondent_uuid + " with all responses" }, "Delete");
  remove.addEventListener("click", () => deleteRespondent(respondent_uuid));
  return element("tr", { "data-uuid": uuid },
    element("td", { className: "time" }, (today ? "today" : day) + " " + collected_at.slice(11, 19)),
    element("td", {}, element("code", {}, survey_id)),
    element("td", { className: "path" }, element("code", {}, respondent_uuid)),
    element("td", { className: "buttons" }, remove));
}

function showNewest() {
  const body = byId("newest");
  const shown = [...body.children].map((row) => row.dataset.uuid).join();
  if (shown !== data.newest.map(({ uuid }) => uuid).join()) body.replaceChildren(...data.newest.map(newestRow));
}

function deleteRespondent(uuid) {
  return act(async () => {
    const before = total();
    const { removed } = await ask("POST", "remove", { respondents: [uuid], andTheirResponses: true });
    if (removed === 0) throw new Error("There is no respondent " + uuid + ". Copy one from a response.");
    byId("respondent").value = "";
    const gone = before - total(await ask("GET", "surveys"));
    return "Deleted respondent " + uuid + " with " + count(gone) + (gone === 1 ? " response." : " responses.");
  });
}

const total = (surveys = data.surveys) => surveys.reduce((sum, survey) => sum + survey.count, 0);

// ── Faults ──
function toggleFault(button, offered) {
  const on = button.getAttribute("aria-checked") !== "true";
  return act(async () => {
    await (on ? ask("POST", "faults", [offered.fault]) : ask("DELETE", "faults?name=" + encodeURIComponent(offered.fault.name)));
    return offered.title + ": " + (on ? "on." : "off.");
  });
}

function faultSwitch(offered) {
  const id = "fault-" + offered.fault.name;
  const button = element("button", { type: "button", id, role: "switch", "aria-checked": "false", "aria-describedby": id + "-about" },
    element("span", { className: "knob", "aria-hidden": "true" }), element("span", {}, offered.title));
  button.addEventListener("click", () => toggleFault(button, offered));
  const about = element("p", { id: id + "-about" }, offered.about + " ", element("span", { className: "progress" }));
  return element("li", {}, button, about);
}

function progressOf({ served, endsInMs, timesLeft }) {
  const parts = [];
  if (endsInMs !== undefined) parts.push("ends in " + Math.ceil(endsInMs / 1000) + " s");
  if (timesLeft !== undefined) parts.push(timesLeft + " left");
  parts.push(count(served) + (served === 1 ? " request" : " requests") + " so far");
  return "On: " + parts.join(", ") + ".";
}

function showFaults() {
  const place = byId("faults");
  if (place.childElementCount === 0) {
    for (const [group, offered] of Object.entries(data.faultsToTry)) {
      place.append(element("div", {}, element("h3", {}, group), element("ul", {}, ...offered.map(faultSwitch))));
    }
  }
  const active = new Map(data.activeFaults.map((fault) => [fault.name, fault]));
  for (const { fault: { name } } of Object.values(data.faultsToTry).flat()) {
    const button = byId("fault-" + name);
    const on = active.get(name);
    button.setAttribute("aria-checked", String(on !== undefined));
    write(button.parentElement.querySelector(".progress"), on ? progressOf(on) : "");
    active.delete(name);
  }
  showOtherFaults(data.activeFaults.filter((fault) => byId("fault-" + fault.name) === null));
  const number = data.activeFaults.length;
  write(byId("active"), number === 0 ? "none is on" : number + " on");
  byId("active").classList.toggle("bad", number > 0);
  byId("all-off").disabled = number === 0;
}

/** Faults that came through the control routes. */
function showOtherFaults(others) {
  const place = byId("other-faults");
  place.hidden = others.length === 0;
  place.replaceChildren(...others.map((fault) => element("li", {}, element("code", {}, fault.reply), " for " + fault.on + ". " + progressOf(fault))));
}

// ── Requests ──
const WORDS = { 0: "no answer", 200: "200", 401: "401 key", 402: "402 plan", 404: "404 not found", 429: "429 refused" };
const kindOf = (status) => (status === 200 ? "good" : status === 429 || status === 503 ? "wait" : "bad");

function requestRow({ number, startedAtMs, status, url, fault }) {
  return element("tr", { "data-number": number },
    element("td", { className: "time" }, new Date(startedAtMs).toISOString().slice(11, 23)),
    element("td", {}, element("span", { className: "status " + kindOf(status) }, WORDS[status] || String(status))),
    element("td", { className: "path" }, element("code", {}, url)),
    element("td", {}, fault ? element("code", {}, fault) : ""));
}

function showRequests() {
  const body = byId("requests");
  const newest = Number(body.firstElementChild ? body.firstElementChild.dataset.number : 0);
  const arrived = data.requests.filter(({ number }) => number > newest);
  body.prepend(...arrived.map(requestRow));
  while (body.childElementCount > data.requests.length) body.lastElementChild.remove();
  byId("no-requests").hidden = data.requests.length > 0;
}

// ── Each second ──
async function refresh() {
  const state = byId("state");
  try {
    data = await ask("GET", "page-data");
    state.className = "state serving";
    write(state, "Serving");
  } catch {
    state.className = "state gone";
    return write(state, "The sandbox does not answer. Was it stopped?");
  }
  for (const show of [showConnect, showMinute, showSurveys, showNewest, showFaults, showRequests]) show();
}

async function run() {
  if (!document.hidden) await refresh();
  setTimeout(run, EVERY_MS);
}

byId("remove").addEventListener("submit", (event) => {
  event.preventDefault();
  deleteRespondent(byId("respondent").value.trim());
});
byId("all-off").addEventListener("click", () => act(() => ask("DELETE", "faults").then(() => "All faults are off.")));
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
run();
`;
