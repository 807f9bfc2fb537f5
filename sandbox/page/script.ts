/**
 * The script of the page, for a browser. It asks for the data each second and writes all of it as text, so that no
 * name of a survey and no path of a request can become an element. It has no backquote and no backslash.
 */
export const SCRIPT = `"use strict";
const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");
const several = (number, thing) => count(number) + " " + thing + (number === 1 ? "" : "s");
let data;

/** An element with this text. Properties with a dash, and "role", become attributes. */
function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

const code = (text) => element("code", {}, text);
const cell = (className, ...children) => element("td", { className }, ...children);
const button = (text, label, onclick, more) =>
  element("button", { type: "button", "aria-label": label, onclick, ...more }, text);

/** Writes a text only if it changed, so that a selection stays. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

let messageTimer;
function say(text, className) {
  const place = byId("message");
  clearTimeout(messageTimer);
  place.className = className;
  place.textContent = text;
  messageTimer = setTimeout(() => { place.className = ""; }, 6000);
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
    say(typeof done === "function" ? done() : done, "shown");
  } catch (thrown) {
    say(thrown instanceof TypeError ? "The sandbox does not answer." : thrown.message, "failed");
  }
}

// ── Connect ──
function showConnect() {
  const values = {
    "Base URL": location.origin + data.basePath,
    "API key": data.apiKey,
    "Survey ids": data.surveys.map(({ id }) => id).join(", "),
  };
  const place = byId("connect");
  if (place.childElementCount === 0) place.append(...Object.keys(values).map(connectRow));
  for (const [at, value] of Object.values(values).entries()) write(place.querySelectorAll("code")[at], value);
}

function connectRow(name) {
  const value = code("");
  const copy = button("Copy", "Copy " + name, async () => {
    const done = navigator.clipboard.writeText(value.textContent);
    copy.textContent = await done.then(() => "Copied", () => "Not allowed");
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }, { className: "copy" });
  return element("div", {}, element("dt", {}, name), element("dd", {}, value, copy));
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
  byId("bar").hidden = !limited;
  byId("bar").max = load.perMinute || 1;
  byId("bar").value = started;
  showSeconds(seconds);
}

/** One bar for each second, with its refused requests on top. */
function showSeconds(seconds) {
  const chart = byId("seconds");
  const most = Math.max(...seconds.map(({ answered, refused }) => answered + refused));
  const bar = (place, from, number, name) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const high = (number) => (64 * number) / (most || 1);
    const values = { x: place * 10, y: 64 - high(from + number), width: 8, height: high(number), class: name };
    for (const [key, value] of Object.entries(values)) rect.setAttribute(key, value);
    return rect;
  };
  chart.replaceChildren(...seconds.flatMap(({ answered, refused }, place) =>
    [bar(place, 0, answered, "answered"), bar(place, answered, refused, "refused")]));
  write(byId("peak"), "most in a second: " + count(most));
}

// ── Surveys ──
function surveyRow({ id }) {
  const answer = (number, people) => button("+" + number, "Let " + people + " answer survey " + id, () => act(async () => {
    await ask("POST", "collect?survey_id=" + encodeURIComponent(id) + "&count=" + number);
    return people + " answered survey " + id + ".";
  }));
  const begin = () => act(async () => {
    await ask("POST", "collect?survey_id=" + encodeURIComponent(id) + "&count=3&answers=1");
    return "3 people began to answer survey " + id + ".";
  });
  return element("tr", { "data-id": id },
    element("th", { scope: "row" }, element("span", { className: "name" }), code(id)),
    cell("number count"),
    cell("buttons", answer(1, "1 person"), answer(50, "50 people"),
      button("+3 begin", "Let 3 people begin to answer survey " + id, begin)));
}

function showSurveys() {
  const rows = new Map([...byId("surveys").children].map((row) => [row.dataset.id, row]));
  for (const survey of data.surveys) {
    const row = rows.get(survey.id) || byId("surveys").appendChild(surveyRow(survey));
    rows.delete(survey.id);
    write(row.querySelector(".name"), survey.name);
    write(row.querySelector(".count"), count(survey.count));
  }
  for (const row of rows.values()) row.remove();
}

// ── The newest responses ──
function newestRow({ survey_id, respondent_uuid, collected_at, isGrowing }) {
  const day = collected_at.slice(0, 10);
  const shownDay = day === new Date().toISOString().slice(0, 10) ? "today" : day;
  const label = "Delete respondent " + respondent_uuid + " with all responses";
  return element("tr", {},
    cell("time", shownDay + " " + collected_at.slice(11, 19) + (isGrowing ? ", not finished" : "")),
    cell("", code(survey_id)),
    cell("path", code(respondent_uuid)),
    cell("buttons", button("Delete", label, () => deleteRespondent(respondent_uuid))));
}

let shownNewest = "";
function showNewest() {
  const newest = JSON.stringify(data.newest);
  if (newest !== shownNewest) byId("newest").replaceChildren(...data.newest.map(newestRow));
  shownNewest = newest;
}

function deleteRespondent(uuid) {
  return act(async () => {
    const total = () => data.surveys.reduce((sum, survey) => sum + survey.count, 0);
    const before = total();
    const { removed } = await ask("POST", "remove", { respondents: [uuid], andTheirResponses: true });
    if (removed === 0) throw new Error("There is no respondent " + uuid + ". Copy one from a response.");
    byId("respondent").value = "";
    return () => "Deleted respondent " + uuid + " with " + several(before - total(), "response") + ".";
  });
}

// ── Faults ──
function faultSwitch({ title, about, fault }) {
  const toggle = () => act(async () => {
    const on = made.getAttribute("aria-checked") !== "true";
    await (on ? ask("POST", "faults", [fault]) : ask("DELETE", "faults?name=" + encodeURIComponent(title)));
    return title + ": " + (on ? "on." : "off.");
  });
  const made = button(element("span", { className: "knob" }), title, toggle, { role: "switch", "data-fault": title });
  made.append(element("span", {}, title));
  return element("li", {}, made, element("p", {}, about + " ", element("span", { className: "progress" })));
}

function progressOf({ served, endsInMs, timesLeft }) {
  const parts = [several(served, "request") + " so far"];
  if (timesLeft !== undefined) parts.unshift(timesLeft + " left");
  if (endsInMs !== undefined) parts.unshift("ends in " + Math.ceil(endsInMs / 1000) + " s");
  return "On: " + parts.join(", ") + ".";
}

function showFaults() {
  const place = byId("faults");
  if (place.childElementCount === 0) {
    for (const [group, offered] of Object.entries(data.faultsToTry)) {
      place.append(element("h3", {}, group), element("ul", {}, ...offered.map(faultSwitch)));
    }
  }
  const active = new Map(data.activeFaults.map((fault) => [fault.name, fault]));
  for (const made of place.querySelectorAll("[role=switch]")) {
    const on = active.get(made.dataset.fault);
    made.setAttribute("aria-checked", String(on !== undefined));
    write(made.parentElement.querySelector(".progress"), on ? progressOf(on) : "");
  }
  const number = data.activeFaults.length;
  write(byId("active"), number === 0 ? "none is on" : number + " on");
  byId("active").classList.toggle("bad", number > 0);
  byId("all-off").disabled = number === 0;
}

// ── Requests ──
const WORDS = { 0: "no answer", 401: "401 key", 403: "403 plan", 404: "404 not found", 429: "429 refused" };
const kindOf = (status) => (status === 200 ? "good" : status === 429 || status === 503 ? "wait" : "bad");

function requestRow({ number, startedAtMs, status, url, fault }) {
  return element("tr", { "data-number": number },
    cell("time", new Date(startedAtMs).toISOString().slice(11, 23)),
    cell("", element("span", { className: "status " + kindOf(status) }, WORDS[status] || String(status))),
    cell("path", code(url)),
    cell("", fault ? code(fault) : ""));
}

function showRequests() {
  const body = byId("requests");
  const newest = Number(body.firstElementChild ? body.firstElementChild.dataset.number : 0);
  body.prepend(...data.requests.filter(({ number }) => number > newest).map(requestRow));
  while (body.childElementCount > data.requests.length) body.lastElementChild.remove();
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
  for (const id of ["surveys", "newest", "requests"]) byId("no-" + id).hidden = data[id].length > 0;
}

async function run() {
  if (!document.hidden) await refresh();
  setTimeout(run, 1000);
}

byId("remove").addEventListener("submit", (event) => {
  event.preventDefault();
  deleteRespondent(byId("respondent").value.trim());
});
byId("grow").addEventListener("click", () => act(() =>
  ask("POST", "grow").then(({ grown }) => several(grown, "response") + " got more answers.")));
byId("all-off").addEventListener("click", () => act(() => ask("DELETE", "faults").then(() => "All faults are off.")));
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
run();
`;
