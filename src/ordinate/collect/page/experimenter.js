// The experimenter's page. The token comes in the fragment of the address or is typed in; it stays in
// this tab and travels in a header only, so that no log and no history ever holds it.
"use strict";

const $ = (id) => document.getElementById(id);
const KEY = "ordinate-experimenter";
const EVERY = 5000;
let paused = false;
let places = null; // the newest map

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
  const interval = result?.low === undefined ? "" : `${percent(result.confidence)} interval ${percent(result.low)} – ${percent(result.high)}`;
  const pools = Object.entries(status.answers_by_pool).map(([pool, count]) => `${pool} ${count}`).join(", ");
  $("figures").replaceChildren(
    figure("Sessions", status.n_sessions, Object.entries(statuses).map(([name, count]) => `${count} ${name}`).join(", ")),
    figure("Answers", status.n_answers.toLocaleString(), pools),
    figure("Held-out accuracy", percent(result?.accuracy), interval || (fit.running ? "fitting…" : "")),
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
  const scale = status.task === "pair";
  $("fitted").textContent = scale ? "Ranking so far" : "Map so far";
  $("advice").textContent = result?.advice ?? (fit.running ? `Fitting the first ${scale ? "ranking" : "map"}…` : "");
  if (result?.ranking) drawRanking(result.ranking);
  places = result?.map ?? null;
  if (places) drawMap(places);
  $("sessions").replaceChildren(...status.sessions.toReversed().map(row));
  $("when").textContent = `${paused ? "paused · " : ""}${new Date().toLocaleTimeString()}`;
}

function choosing({ choosing: now, answers_by_pool: counts, n_fallback: random }) {
  const model = now.model_version === null ? "no model yet" : `model of ${now.model_version.toLocaleString()} answers, ${now.n_ready} ready`;
  const chosen = (counts.adaptive ?? 0) - random;
  return [chosen.toLocaleString(), now.problem || `chosen, ${random.toLocaleString()} random instead; ${model}`];
}

function row(person) {
  const line = document.createElement("tr");
  const seconds = person.median_rt_ms === null ? "–" : `${(person.median_rt_ms / 1000).toFixed(1)} s`;
  const flags = element("td", person.flags.join(", ").replaceAll("_", " "), { class: "flag" });
  const entries = [
    percent(person.catch_right), percent(person.repeat_same), seconds, percent(person.fast_share), percent(person.one_side_share),
    ago(person.last_seen_at), person.recruiter || "–", person.participant,
  ];
  const first = [person.session_id, person.status, `${person.n_done} / ${person.n_trials}`];
  line.append(...first.map((entry) => element("td", entry)), flags, ...entries.map((entry) => element("td", entry)));
  return line;
}

function ago(moment) {
  const minutes = Math.max(0, (Date.now() - new Date(moment)) / 60000);
  if (minutes < 90) return `${Math.round(minutes)} min ago`;
  return minutes < 36 * 60 ? `${Math.round(minutes / 60)} h ago` : moment.slice(0, 10);
}

// Drawn as wide as there is room, so that text keeps its size on a phone.
function drawMap(places) {
  const [margin, size, line] = [48, 44, 15];
  const width = Math.max(280, $("map").clientWidth);
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
  $("map").replaceChildren(svg);
}

// Best first, each with the interval of its score and the ranks that it may have.
function drawRanking(items) {
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
  $("map").replaceChildren(table);
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

async function pause() {
  const body = JSON.stringify({ paused: !paused });
  await call("pause", { method: "POST", headers: { "content-type": "application/json" }, body });
  await refresh();
}

async function download() {
  const address = URL.createObjectURL(await (await call("export")).blob());
  const link = element("a", "", { href: address, download: "study.zip" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function shown(action) {
  return () => action().catch((error) => { $("problem").textContent = error.message; });
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, $("token").value.trim());
  $("token").value = "";
  refresh();
});
$("pause").addEventListener("click", shown(pause));
$("download").addEventListener("click", shown(download));
function takeFragment() {
  if (location.hash.length > 1) {
    sessionStorage.setItem(KEY, location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  }
  $("login").hidden = Boolean(sessionStorage.getItem(KEY));
  refresh();
}

window.addEventListener("hashchange", takeFragment);
window.addEventListener("resize", () => { if (places) drawMap(places); });
takeFragment();
setInterval(() => { if (!document.hidden) refresh(); }, EVERY);
