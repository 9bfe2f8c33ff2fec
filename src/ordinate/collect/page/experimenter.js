// The experimenter's page. The token comes in the fragment of the address or is typed in; it stays in
// this tab and travels in a header only, so that no log and no history ever holds it.
"use strict";

const $ = (id) => document.getElementById(id);
const KEY = `ordinate-experimenter ${location.pathname}`; // of each study on this host
const EVERY = 5000;
let paused = false;
let closed = false;
let maps = []; // where maps are drawn, and the newest ones

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function percent(share) { return share === null || share === undefined ? "–" : `${(100 * share).toFixed(0)}%`; }

async function call(path, options = {}) {
  const headers = { authorization: `Bearer ${sessionStorage.getItem(KEY)}`, ...options.headers };
  const response = await fetch(`experimenter/${path}`, { cache: "no-store", ...options, headers });
  if (response.status === 401) {
    sessionStorage.removeItem(KEY);
    $("login").hidden = false;
    $("desk").hidden = true;
  }
  if (!response.ok) throw new Error((await response.json().catch(() => null))?.message ?? `The server said ${response.status}.`);
  return response;
}

function figure(name, value, note = "") {
  const box = document.createElement("div");
  const number = element("dd", value);
  if (note) number.append(element("small", note));
  box.append(element("dt", name), number);
  return box;
}

function draw(status) {
  const { statuses, fit } = status;
  const result = fit.result;
  const counts = (compares) => Object.entries(status.answers_by_pool)
    .filter(([pool]) => compares !== ["practice", "catch"].includes(pool)).map(([pool, count]) => `${pool} ${count}`).join(", ");
  const pools = [counts(true), counts(false)].filter(Boolean).join("; besides ");
  $("figures").replaceChildren(
    figure("Sessions", status.n_sessions, Object.entries(statuses).map(([name, count]) => `${count} ${name}`).join(", ")),
    figure("Answers", status.n_answers.toLocaleString(), pools),
    ...accuracy(result?.parts ?? [], fit.running),
    figure("Rough minimum", status.n_least.toLocaleString(), `answers: n ·${status.task === "pair" ? "" : " d ·"} log₂ n; random questions need several times that`),
    figure("Catch right", percent(status.catch_right)),
    figure("Repeats same", percent(status.repeat_same)),
    figure("Median time", status.median_rt_ms === null ? "–" : `${(status.median_rt_ms / 1000).toFixed(1)} s`),
    figure("Flagged", status.n_flagged, "nobody is left out by itself"),
  );
  if (status.choosing) $("figures").append(figure("Adaptive", ...choosing(status)));
  const warnings = status.warnings.map((text) => element("p", text, { class: "notice warning" }));
  $("warnings").replaceChildren(...warnings);
  paused = status.paused;
  $("pause").textContent = paused ? "Resume the study" : "Pause the study";
  drawFits(result, fit.running);
  closed = status.closed;
  $("close").textContent = closed ? "Let new participants in" : "Let nobody new in";
  $("participants").defaultValue = status.participants; // shown unless another number is being typed
  const taken = (statuses.complete ?? 0) + (statuses.open ?? 0);
  $("places-note").textContent = `${taken} are complete or open; 0: no limit`;
  drawTable("quotas", "Quotas", ["of", "answer or condition", "people", "at most"], status.quotas);
  drawTable("conditions", "Conditions and blocks", PARTS_OF, status.parts.map(lineOf));
  drawTable("responses", "Questionnaires", ["question", "condition", "answers"], status.responses.flatMap(
    ({ ask, moment, answers }) => Object.entries(answers).map(([condition, said]) => [moment.includes("-") ? `${ask} (${moment})` : ask, condition || "–", said])));
  drawBars("hours", lastHours(status.answers_by_hour), "answers");
  drawBars("leaving", leaving(status), "participants left");
  drawErrors(status.errors);
  sessions = status.sessions;
  drawSessions();
  $("when").textContent = `${paused ? "paused · " : ""}${new Date().toLocaleTimeString()}`;
}

function choosing({ choosing: now, answers_by_pool: counts, n_fallback: random }) {
  const model = now.model_version === null ? "no model yet" : `model of ${now.model_version.toLocaleString()} answers, ${now.n_ready} ready`;
  const chosen = (counts.adaptive ?? 0) - random;
  return [chosen.toLocaleString(), now.problem || `chosen, ${random.toLocaleString()} random instead; ${model}`];
}

const PARTS_OF = ["condition", "block", "complete", "open", "others", "progress", "comparisons", "catch right", "repeats same"];

function lineOf(part) {
  const { complete = 0, open: now = 0, ...others } = part.statuses;
  const rest = Object.entries(others).map(([name, count]) => `${count} ${name}`).join(", ") || "–";
  const done = part.n_trials ? percent(part.n_done / part.n_trials) : "–";
  return [part.condition || "–", part.block || "–", complete, now, rest, done, part.n_answers.toLocaleString(), percent(part.catch_right), percent(part.repeat_same)];
}

function drawTable(place, title, head, lines) {
  $(place).hidden = lines.length === 0;
  const table = document.createElement("table");
  table.append(...[head, ...lines].map((entries, at) => {
    const line = document.createElement("tr");
    line.append(...entries.map((entry) => element(at ? "td" : "th", entry, at ? {} : { scope: "col" })));
    return line;
  }));
  $(place).replaceChildren(element("h2", title), table);
}

// ---- maps and rankings so far, of each condition and block ----

function called({ condition, block }) { return [block === "main" ? "" : block, condition].filter(Boolean).join(", "); }

function accuracy(parts, running) {
  const known = parts.filter((part) => part.accuracy !== undefined);
  if (!known.length) return [figure("Held-out accuracy", "–", running ? "fitting…" : "")];
  return known.map((part) => {
    const interval = part.low === undefined ? "" : `${percent(part.confidence)} interval ${percent(part.low)} – ${percent(part.high)}`;
    return figure(["Held-out accuracy", called(part)].filter(Boolean).join(": "), percent(part.accuracy), interval);
  });
}

function drawFits(result, running) {
  if (!result && $("fits").children.length) return;
  maps = [];
  const parts = result?.parts ?? [{ condition: "", block: "", advice: result?.advice ?? (running ? "Fitting the first map or ranking…" : "") }];
  const differences = (result?.differences ?? []).map(({ block, text }) => [element("h3", block === "main" ? "Do the conditions differ?" : `Do the conditions differ in ${block}?`), element("p", text, { class: "lines" })]);
  const rows = new Map(); // the conditions of a block stand side by side
  for (const part of parts) {
    const kind = part.ranking ? "Ranking so far" : "Map so far";
    const place = element("div", "", part.ranking ? { class: "wide", tabindex: "0", role: "region", "aria-label": kind } : { class: "map" });
    if (part.ranking) drawRanking(place, part.ranking);
    if (part.map) maps.push([place, part.map]);
    const said = [part.advice, part.agreement].filter(Boolean).map((text) => element("p", text));
    const section = document.createElement("section");
    section.append(element("h2", [kind, called(part)].filter(Boolean).join(": ")), ...said, place);
    if (!rows.has(part.block)) rows.set(part.block, element("div", "", { class: "beside" }));
    rows.get(part.block).append(section);
  }
  $("fits").replaceChildren(...differences.flat(), ...rows.values());
  for (const [place, items] of maps) drawMap(place, items);
}

// ---- sessions: sorted, filtered, one by one ----

const COLUMNS = {
  session: ["session_id", String], status: ["status", String], condition: ["condition", (name) => name || "–"],
  progress: ["n_done", (count, person) => `${count} / ${person.n_trials}`],
  decision: ["decision", (word) => word || "–"],
  flags: ["flags", (flags) => flags.join(", ").replaceAll("_", " ")],
  "catch right": ["catch_right", percent], "repeats same": ["repeat_same", percent],
  "median time": ["median_rt_ms", seconds], fast: ["fast_share", percent], "one side": ["one_side_share", percent],
  "last seen": ["last_seen_at", ago], from: ["recruiter", (name) => name || "–"], participant: ["participant", String],
};
let sessions = [];
let order = ["last_seen_at", -1]; // which entry, and in which direction

function seconds(ms) { return ms === null ? "–" : `${(ms / 1000).toFixed(1)} s`; }

function drawColumns() {
  $("columns").replaceChildren(...Object.entries(COLUMNS).map(([name, [key]]) => {
    const [by, direction] = order;
    const head = element("th", "", { scope: "col", "aria-sort": by === key ? (direction > 0 ? "ascending" : "descending") : "none" });
    const button = element("button", name, { type: "button", class: "link" });
    button.addEventListener("click", () => { order = [key, by === key ? -direction : 1]; drawSessions(); });
    head.append(button);
    return head;
  }));
}

function compare(one, other) {
  const [key, direction] = order;
  const [a, b] = [one[key], other[key]].map((value) => (Array.isArray(value) ? value.join() : value));
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1; // what is unknown comes last
  return a < b ? -direction : direction;
}

function drawSessions() {
  drawColumns();
  const names = [...new Set(sessions.map((person) => person.status))].sort();
  const chosen = $("status").value;
  $("status").replaceChildren(element("option", "all", { value: "" }), ...names.map((name) => element("option", name, { value: name })));
  $("status").value = names.includes(chosen) ? chosen : "";
  const word = $("search").value.trim().toLowerCase();
  const found = sessions.filter((person) => (!$("status").value || person.status === $("status").value)
    && (!word || [person.session_id, person.participant, person.recruiter, ...person.flags].join(" ").toLowerCase().includes(word)));
  $("found").textContent = found.length === sessions.length ? "" : `${found.length} of ${sessions.length}`;
  $("sessions").replaceChildren(...found.sort(compare).map(row));
}

function row(person) {
  const line = document.createElement("tr");
  for (const [key, shown] of Object.values(COLUMNS)) {
    const cell = element("td", shown(person[key], person), key === "flags" ? { class: "flag" } : {});
    if (key === "session_id") {
      const button = element("button", person.session_id, { type: "button", class: "link" });
      button.addEventListener("click", tried(() => open(person)));
      cell.replaceChildren(button);
    }
    line.append(cell);
  }
  return line;
}

async function open({ session_id: name, status, answered_by: who, decision, reason }) {
  $("decision").hidden = status === "returned";
  $("undecide").hidden = !decision;
  $("reason").value = "";
  $("decided").textContent = decision ? `${decision}: ${reason}` : "";
  $("decision").onsubmit = (event) => {
    event.preventDefault();
    const body = { decision: event.submitter.value, reason: $("reason").value };
    tried(async () => { await change(`sessions/${name}/decide`, body); $("detail").hidden = true; })();
  };
  $("release").hidden = who !== "person" || !["open", "expired"].includes(status);
  $("release").onclick = tried(async () => { await change(`sessions/${name}/release`, {}); $("detail").hidden = true; });
  const { trials } = await (await call(`sessions/${name}`)).json();
  $("detail-title").textContent = `Session ${name}`;
  $("trials").replaceChildren(...trials.map((trial) => {
    const line = document.createElement("tr");
    const entries = [
      trial.place, trial.pool, trial.reference ?? "–", trial.shown.join(", "), trial.chosen.map((option) => option.join(" + ")).join(", "),
      trial.outcome ?? "–", seconds(trial.rt_ms), trial.received_at ?? "–",
    ];
    line.append(...entries.map((entry) => element("td", entry)));
    return line;
  }));
  $("detail").hidden = false;
  $("detail-title").focus();
}

// ---- bars and errors ----

const HOURS = 48;

function lastHours(counts) {
  const now = Date.now();
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date(now - (HOURS - 1 - index) * 3600000);
    return [hour.toLocaleString([], { weekday: "short", hour: "2-digit" }), counts[hour.toISOString().slice(0, 13)] ?? 0];
  });
}

const PARTS = 10; // of a session

function leaving({ left_after: counts, sessions: people }) {
  const total = Math.max(1, ...people.map((person) => person.n_trials));
  const bars = Array.from({ length: PARTS }, (_, part) => [`after ${Math.ceil(part * total / PARTS)} to ${Math.ceil((part + 1) * total / PARTS) - 1} questions`, 0]);
  for (const [done, count] of Object.entries(counts)) bars[Math.min(PARTS - 1, Math.floor(PARTS * done / total))][1] += count;
  return bars;
}

function drawBars(place, bars, what) {
  const most = Math.max(...bars.map(([, count]) => count));
  if (most === 0) { $(place).replaceChildren(element("p", "None so far.")); return; }
  const list = element("ol", "", { class: "bars", "aria-label": what });
  for (const [name, count] of bars) {
    const bar = element("li", "", { title: `${name}: ${count} ${what}` });
    const filled = element("span", count ? String(count) : "", {});
    filled.style.blockSize = `${100 * count / most}%`;
    bar.append(filled, element("small", name, { class: "hidden-text" }));
    list.append(bar);
  }
  const ends = element("p", "", { class: "ends" });
  ends.append(element("small", bars[0][0]), element("small", bars.at(-1)[0]));
  $(place).replaceChildren(list, ends);
}

function drawErrors(errors) {
  if (!errors.length) { $("errors").replaceChildren(); return; }
  const list = document.createElement("ul");
  list.append(...errors.toReversed().map((error) => element("li",
    `${ago(error.time)}, ${error.count} ×: ${error.message} (${[error.phase, error.where, error.session_id, error.browser].filter(Boolean).join(" · ")})`)));
  $("errors").replaceChildren(element("h2", "Errors in participants' browsers"), list);
}

function ago(moment) {
  const minutes = Math.max(0, (Date.now() - new Date(moment)) / 60000);
  if (minutes < 90) return `${Math.round(minutes)} min ago`;
  return minutes < 36 * 60 ? `${Math.round(minutes / 60)} h ago` : moment.slice(0, 10);
}

// Drawn as wide as there is room, so that text keeps its size on a phone.
function drawMap(area, places) {
  const [margin, size, line] = [48, 44, 15];
  const width = Math.max(280, area.clientWidth);
  const height = Math.round(Math.min(560, 0.9 * width));
  const range = (name) => {
    const values = places.map((place) => place[name]);
    const low = Math.min(...values);
    return [low, Math.max(...values) - low || 1];
  };
  const [[left, across], [top, down]] = [range("x"), range("y")];
  const scale = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down);
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("class", "map");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Map of ${places.length} items`);
  const drawn = places.map((place) => ({
    ...place,
    x: width / 2 + (place.x - left - across / 2) * scale,
    y: height / 2 - (place.y - top - down / 2) * scale,
  })).sort((one, other) => one.y - other.y);
  drawn.forEach((place, index) => { // words that would cover each other move down a line
    if (place.media) return;
    for (const above of drawn.slice(0, index)) {
      const near = 3.6 * (place.label.length + above.label.length);
      if (!above.media && Math.abs(place.x - above.x) < near && place.y - above.y < line) place.y = above.y + line;
    }
  });
  for (const place of drawn) {
    const { x, y } = place;
    const mark = document.createElementNS(space, place.media ? "image" : "text");
    const where = place.media ? [["x", x - size / 2], ["y", y - size / 2], ["width", size], ["height", size], ["href", `media/${place.media}`]] : [["x", x], ["y", y]];
    for (const [name, value] of where) mark.setAttribute(name, value);
    if (!place.media) mark.textContent = place.label;
    const title = document.createElementNS(space, "title");
    title.textContent = place.label;
    mark.append(title);
    svg.append(mark);
  }
  area.replaceChildren(svg);
}

// Best first, each with the interval of its score and the ranks that it may have.
function drawRanking(area, items) {
  const low = Math.min(...items.map((item) => item.lower));
  const across = Math.max(...items.map((item) => item.upper)) - low || 1;
  const table = element("table", "", { class: "ranking" });
  const head = document.createElement("tr");
  head.append(...["rank", "item", "score", "95% interval", "ranks"].map((name) => element("th", name, { scope: "col" })));
  const lines = items.map((item) => {
    const line = document.createElement("tr");
    const bar = element("td", "", { class: "interval", title: `${item.lower.toFixed(2)} to ${item.upper.toFixed(2)}` });
    const [from, to, at] = ["lower", "upper", "score"].map((name) => (100 * (item[name] - low)) / across);
    const [range, dot] = [document.createElement("span"), document.createElement("span")];
    range.className = "range";
    range.style.insetInlineStart = `${from}%`;
    range.style.inlineSize = `${to - from}%`;
    dot.className = "dot";
    dot.style.insetInlineStart = `${at}%`;
    bar.append(range, dot);
    const ranks = item.rank_low === item.rank_high ? item.rank_low : `${item.rank_low}–${item.rank_high}`;
    line.append(element("td", item.rank), element("td", item.label), element("td", item.score.toFixed(2)), bar, element("td", ranks));
    return line;
  });
  table.append(head, ...lines);
  area.replaceChildren(table);
}

async function refresh() {
  if (!sessionStorage.getItem(KEY)) return;
  try {
    const status = await (await call("status")).json();
    $("login").hidden = true;
    $("desk").hidden = false;
    $("problem").textContent = "";
    draw(status);
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

async function change(path, body) {
  await call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await refresh();
}

async function download() {
  const address = URL.createObjectURL(await (await call("export")).blob());
  const link = element("a", "", { href: address, download: "study.zip" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function tried(action) {
  return () => action().catch((error) => { $("problem").textContent = error.message; });
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, $("token").value.trim());
  $("token").value = "";
  refresh();
});
$("pause").addEventListener("click", tried(() => change("settings", { paused: !paused })));
$("close").addEventListener("click", tried(() => change("settings", { participants: $("participants").valueAsNumber, closed: !closed })));
$("places").addEventListener("submit", (event) => {
  event.preventDefault();
  tried(async () => {
    await change("settings", { participants: $("participants").valueAsNumber, closed });
    $("places").reset();
  })();
});
$("download").addEventListener("click", tried(download));
$("status").addEventListener("change", drawSessions);
$("search").addEventListener("input", drawSessions);
$("detail-close").addEventListener("click", () => { $("detail").hidden = true; });
function takeFragment() {
  if (location.hash.length > 1) {
    sessionStorage.setItem(KEY, location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  }
  $("login").hidden = Boolean(sessionStorage.getItem(KEY));
  refresh();
}

window.addEventListener("hashchange", takeFragment);
window.addEventListener("resize", () => { for (const [place, items] of maps) drawMap(place, items); });
takeFragment();
setInterval(() => { if (!document.hidden) refresh(); }, EVERY);
