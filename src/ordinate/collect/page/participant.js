// The participant's page: consent, questionnaires, instructions, questions, debrief.
//
// Answers go into a queue in localStorage before anything else happens, and leave it when the
// server says that they are on disk. A reload, a lost connection or a restarted server lose none:
// the next questions are kept beside the queue, their media and this page in a cache. Sessions are
// known by tokens; an answer keeps its session's, so that the next person here can send it too.
"use strict";

const setting = JSON.parse(document.body.dataset.setting);
const texts = setting.texts;
const QUEUE = `ordinate-${setting.place}-queue`;
const SESSIONS = `ordinate-${setting.place}-sessions`; // begun in this browser, the newest first
const OWNER = `ordinate-${setting.place}-tab`;
const SHOWN = `ordinate-${setting.place}-shown`;
const REQUEST = `ordinate-${setting.place}-request`;
const DRAFT = `ordinate-${setting.place}-draft`; // of a questionnaire
const NEXT = `ordinate-${setting.place}-next`; // whose questions come next, for a reload without a connection
const CACHE = `ordinate ${new URL("./", location)}`; // the same as in worker.js
const MOST_SESSIONS = 20;
const LOW = 10; // fetch more questions when fewer are ready
const MEDIA_TRIES = 3;
const MEDIA_KEPT = 150; // files in memory, before those no longer needed are let go
const tab = randomId();
const $ = (id) => document.getElementById(id);

let session = null;      // its id and token
let named = true;        // whether the address of the page says who takes part
let ready = [];          // questions that can be shown
let current = null;      // the one on the screen
let block = null;        // the task, question and instructions of the block it belongs to
const device = {};       // what was found out about it
let blocks = {};         // task, question and instructions of this session's blocks, by number
let responses = {};      // what questionnaires were answered, by moment and name
let exhausted = false;   // the server has no more questions
let owner = true;        // another tab may take over
let paused = false;
let ways = {}; // where to go from here, by reason
let halted = false;      // a message stays, whatever else goes on
let appeared = 0;        // when what is on the screen appeared
const unsent = new Map(); // trial -> entry of the queue, in case that the browser forgets it
const tried = new Set(); // tokens of others whose answers are being sent, or cannot be
const answeredHere = new Set(queue().map((entry) => entry.answer.trial)); // sent or not
const media = new Map(); // address -> promise of a blob's address

// ---- small things ----

function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function read(key, otherwise) {
  try { return JSON.parse(localStorage.getItem(key)) ?? otherwise; } catch { return otherwise; }
}

// Whether the browser keeps it: it may have no room, or be told to keep nothing.
function save(key, value) {
  try { localStorage.setItem(key, JSON.stringify(value)); return true; } catch { return false; }
}

function drop(key) { try { localStorage.removeItem(key); } catch { /* nothing was kept */ } }

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

function wait(milliseconds) { return new Promise((done) => setTimeout(done, milliseconds)); }

function show(phase, focus = true) {
  if (halted) return;
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== phase;
  document.body.dataset.phase = phase;
  $("progress").hidden = phase !== "trial";
  if (setting.preview) $("answer-for-me").hidden = phase !== "trial";
  $("withdraw").hidden = !(session && ["trial", "instructions", "message", "questionnaire"].includes(phase));
  $("return-open").hidden = $("withdraw").hidden;
  $("withdraw-code").hidden = session !== null || !["consent", "message", "debrief"].includes(phase);
  if (focus) document.querySelector(`#${phase} [tabindex="-1"]`)?.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  appeared = performance.now();
}

// What is meant for what was on the screen before: it answers nothing that is there now.
function belated(event) {
  return setting.dead_time_ms > 0 && (performance.now() - appeared < setting.dead_time_ms || event.detail > 1);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("button, a") && belated(event)) { event.preventDefault(); event.stopPropagation(); }
}, { capture: true });

function message(title, text = "", buttons = []) {
  $("message-title").textContent = title;
  $("message-text").textContent = text;
  $("message-buttons").replaceChildren(...buttons.map(([label, action, main], index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    if (main ?? index === 0) button.className = "main";
    button.addEventListener("click", () => {
      for (const other of $("message-buttons").children) other.disabled = true;
      action();
    });
    return button;
  }));
  show("message");
}

function halt(...content) {
  halted = false;
  message(...content);
  halted = true;
}

function leaveBy(reason) {
  return ways[reason] ? [[texts.done_redirect, () => location.assign(ways[reason])]] : [];
}

function tryAgain() { return [[texts.try_again, () => location.reload()]]; }

function ask(title, text, buttons) {
  return new Promise((done) => {
    message(title, text, buttons.map(([label, value], index) => [label, () => done(value), index === 0]));
  });
}

// ---- the server ----

class Refused extends Error {
  constructor(status, reply) { super(reply.message); this.status = status; this.reason = reply.error; }
}

// Network failures and refusals that pass are retried for ever, unless there is a value to go on with
// instead; others are thrown.
async function call(path, body, { instead, tokens = [session?.token ?? ""] } = {}) {
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    let response = null;
    try {
      const headers = { "content-type": "application/json", "ordinate-session": tokens.join(" ") };
      const sent = body === undefined ? { cache: "no-store" } : { method: "POST", body: JSON.stringify(body) };
      response = await fetch(path, { ...sent, headers, signal: AbortSignal.timeout(15000) });
    } catch { connection("waiting"); }
    if (response) {
      const reply = await response.json().catch(() => null);
      if (response.ok && reply) { connection(null); return reply; }
      if (reply && ![408, 429, 502, 503, 504, 507].includes(response.status)) throw new Refused(response.status, reply);
      if (reply?.error === "paused") throw new Refused(503, reply);
      connection(response.status === 507 ? "storage_full" : response.status === 429 ? "busy" : "waiting");
    }
    if (instead !== undefined) return instead;
    await Promise.race([wait(pause), new Promise((done) => window.addEventListener("online", done, { once: true }))]);
  }
}

function connection(problem) {
  const count = own().length;
  $("connection").textContent = problem ? fill(texts[problem], { count }) : "";
}

// ---- the queue of answers ----

let sending = null;

function queue() {
  const entries = [...read(QUEUE, []), ...unsent.values()];
  return [...new Map(entries.map((entry) => [entry.answer.trial, entry])).values()];
}

function own() { return queue().filter((entry) => entry.token === session?.token); }

function enqueue(answer) {
  unsent.set(answer.trial, { token: session.token, answer });
  answeredHere.add(answer.trial);
  keep();
  send().catch(problem);
}

// Also when the page goes: somebody may have deleted what the browser kept.
function keep() {
  save(QUEUE, queue());
  if (!session) return;
  const others = read(SESSIONS, []).filter((other) => other.id !== session.id);
  save(SESSIONS, [session, ...others].slice(0, MOST_SESSIONS));
  const next = [...(current ? [current] : []), ...ready].filter((trial) => !answeredHere.has(trial.trial));
  save(NEXT, { session, named, search: location.search, exhausted, next, responses, blocks });
}

function send() {
  sending ??= flush(session.token).finally(() => { sending = null; });
  return sending;
}

async function flush(token) {
  for (;;) {
    const batch = queue().filter((entry) => entry.token === token).slice(0, 20);
    if (batch.length === 0) return;
    const answers = batch.map((entry) => entry.answer);
    const reply = await call("api/answers", { answers }, { tokens: [token] });
    const settled = [...Object.keys(reply.stored), ...Object.keys(reply.refused)];
    for (const trial of settled) unsent.delete(trial);
    save(QUEUE, queue().filter((entry) => !settled.includes(entry.answer.trial)));
    if (["failed", "expired"].includes(reply.status) && token === session?.token) { location.reload(); return; }
  }
}

// Answers that somebody before left in this browser.
async function sendOthers() {
  const tokens = new Set(queue().map((entry) => entry.token));
  for (const token of tokens) {
    if (token === session?.token || tried.has(token)) continue;
    tried.add(token);
    await flush(token).then(() => tried.delete(token), () => {});
  }
}

// ---- media: whole files in memory before a question is shown ----

function load(item) {
  if (!item.src) return Promise.resolve();
  if (!media.has(item.src)) {
    const loading = fetchMedia(item.src, item.kind);
    loading.catch(() => media.delete(item.src));
    media.set(item.src, loading);
  }
  return media.get(item.src);
}

async function fetchMedia(address, kind) {
  const cache = await window.caches?.open(CACHE).catch(() => null);
  for (let tries = 1; ; tries++) {
    try {
      const response = (await cache?.match(address)) ?? await fetch(address);
      if (!response.ok) throw new Error(String(response.status));
      cache?.put(address, response.clone()).catch(() => {});
      const url = URL.createObjectURL(await response.blob());
      if (kind === "image") {
        const image = new Image();
        image.src = url;
        await image.decode();
      }
      return url;
    } catch (error) {
      if (tries >= MEDIA_TRIES) throw error;
      await wait(400 * 2 ** tries);
    }
  }
}

function letGo() {
  if (media.size <= MEDIA_KEPT) return;
  const needed = new Set([...ready, ...(current ? [current] : [])].flatMap(itemsOf).map((item) => item.src));
  for (const [address, loading] of media) {
    if (needed.has(address)) continue;
    media.delete(address);
    loading.then(URL.revokeObjectURL, () => {});
  }
}

function itemsOf(trial) { return trial.reference ? [trial.reference, ...trial.shown] : trial.shown; }

function preload(trials) { for (const trial of trials) for (const item of itemsOf(trial)) load(item).catch(() => {}); }

// ---- questions ----

let fetching = null;

function refill() {
  if (exhausted || ready.length > LOW) return Promise.resolve();
  fetching ??= fetchTrials().finally(() => { fetching = null; });
  return fetching;
}

async function fetchTrials() {
  await send(); // what the server does not know to be answered, it would count among the next questions
  const reply = await call("api/trials", {});
  const known = new Set([...ready, ...(current ? [current] : [])].map((trial) => trial.trial));
  const fresh = reply.trials.filter((trial) => !answeredHere.has(trial.trial) && !known.has(trial.trial));
  exhausted = reply.trials.length >= reply.left;
  ready.push(...fresh);
  ready.sort((one, other) => one.place - other.place);
  letGo();
  keep();
  preload(fresh);
}

// Without the worker a reload needs a connection; nothing else does.
function keepPage() { navigator.serviceWorker?.register("worker.js").catch(() => {}); }

// Leave nothing of a session that is over on the device.
async function clearDevice() {
  for (const key of [NEXT, SHOWN, DRAFT]) drop(key);
  await window.caches?.delete(CACHE);
  await (await navigator.serviceWorker?.getRegistration())?.unregister();
}

async function nextTrial() {
  if (ready.length === 0) {
    await send();
    while (ready.length === 0 && !exhausted) await refill();
  } else {
    refill().catch(problem);
  }
  return ready.shift() ?? null;
}

async function run() {
  if (session.px_per_mm) document.documentElement.style.setProperty("--stimulus", `${setting.stimulus_mm * session.px_per_mm}px`);
  if (!(await fillIn("before"))) return;
  let previous = null;
  for (;;) {
    const trial = await nextTrial();
    if (trial === null) break;
    block = blocks[trial.block];
    const { number, total } = trial, practice = trial.phase === "practice";
    if (trial.opens) {
      if (trial.block_number && !(await fillIn(`between-${trial.block_number}`))) return;
      await instruct();
    } else if (answeredForMe === trial.block_number) { /* no messages on the way */ }
    else if (previous?.phase === "practice" && !practice) await ask(texts.practice_over, "", [[texts.start_main, true]]);
    else if (!practice && previous && block.break_every && number > 1 && (number - 1) % block.break_every === 0) {
      await ask(texts.break_title, fill(texts.break_text, { done: number - 1, total }), [[texts.continue, true]]);
    }
    await present(trial);
    previous = trial;
  }
  if (!(await fillIn("after"))) return;
  if (!(await complete())) await run();
}

async function present(trial) {
  current = trial;
  const { number, total } = trial, practice = trial.phase === "practice";
  $("progress-text").textContent = fill(practice ? texts.practice : texts.progress, { done: number, total });
  $("bar").max = total;
  $("bar").value = number - 1;
  if (!(await loaded(trial))) {
    enqueue({ trial: trial.trial, outcome: "media_failed", chosen: [] });
    current = null;
    return;
  }
  const answer = await answered(trial);
  enqueue(answer);
  current = null;
  if (answeredForMe === trial.block_number) return;
  if (practice) await feedback(trial, answer);
  else if (answer.outcome === "answered" && answer.rt_ms < setting.warn_below_ms) notice(texts.too_fast);
  else if (answer.outcome === "timed_out") notice(texts.timed_out);
}

async function loaded(trial) {
  for (;;) {
    const slow = setTimeout(() => show("loading", false), 400);
    try {
      await Promise.all(itemsOf(trial).map(load));
      return true;
    } catch {
      clearTimeout(slow);
      if (!(await ask(texts.media_failed, "", [[texts.try_again, true], [texts.leave_out, false]]))) return false;
    } finally { clearTimeout(slow); }
  }
}

async function feedback(trial, answer) {
  const right = trial.expected.every((place) => answer.chosen.includes(place));
  const known = trial.expected.length > 0;
  for (const place of trial.expected) document.querySelectorAll("#options .option")[place]?.classList.add("right");
  notice(known ? (right ? texts.practice_right : texts.practice_wrong) : texts.practice_stored, 0);
  $("skip").hidden = true;
  const confirm = $("confirm");
  confirm.hidden = confirm.disabled = false;
  appeared = performance.now();
  confirm.focus();
  await new Promise((done) => confirm.addEventListener("click", done, { once: true }));
  notice("");
}

let noticeEnds = 0;

function notice(text, milliseconds = 2500) {
  $("notice").textContent = text;
  clearTimeout(noticeEnds);
  if (text && milliseconds) noticeEnds = setTimeout(() => { $("notice").textContent = ""; }, milliseconds);
}

// ---- one question on the screen ----

async function draw(item) {
  const place = document.createElement("span");
  place.className = "item";
  if (item.kind === "text") place.textContent = item.text;
  else if (item.kind === "html") place.innerHTML = item.html; // sanitised by the server
  else {
    const shown = document.createElement(item.kind === "image" ? "img" : item.kind);
    shown.src = await load(item);
    if (item.kind === "image") shown.alt = item.alt;
    else { shown.controls = true; if (item.alt) shown.setAttribute("aria-label", item.alt); }
    place.append(shown);
  }
  return place;
}

function hiddenText(text) {
  const span = document.createElement("span");
  span.className = "hidden-text";
  span.textContent = text;
  return span;
}

// Media with controls cannot lie inside a button: they get a button of their own below.
async function drawOption(items, number) {
  const label = fill(block.task === "pair_against_pair" ? texts.pair : texts.option, { number: number + 1 });
  const drawn = await Promise.all(items.map(draw));
  const button = document.createElement("button");
  button.type = "button";
  button.className = items.length > 1 ? "option pair" : "option";
  const controls = items.some((item) => item.kind === "audio" || item.kind === "video");
  button.append(hiddenText(`${label}: `), ...(controls ? [texts.choose] : drawn));
  if (block.n_select > 1) button.setAttribute("aria-pressed", "false");
  if (!controls) return { button, element: button };
  const card = document.createElement("div");
  card.className = "card";
  card.setAttribute("role", "group");
  card.setAttribute("aria-label", label);
  card.append(...drawn, button);
  return { button, element: card };
}

function drawTie() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "option tie";
  button.textContent = texts.tie;
  return { button, element: button };
}

async function lay(trial) {
  const pairs = block.task === "pair_against_pair";
  const groups = pairs ? [trial.shown.slice(0, 2), trial.shown.slice(2)] : trial.shown.map((item) => [item]);
  const options = await Promise.all(groups.map(drawOption));
  $("reference").hidden = !trial.reference;
  $("reference").replaceChildren(...(trial.reference ? [await draw(trial.reference)] : []));
  const area = $("options");
  area.className = options.length > 3 ? "grid" : "";
  area.classList.toggle("pictures", trial.shown.every((item) => item.kind === "image"));
  area.dataset.count = options.length;
  area.style.setProperty("--columns", Math.ceil(options.length / Math.ceil(options.length / 5)));
  area.dataset.task = block.task;
  const two = options.length === 2;
  const tie = block.n_choices > options.length && block.task === "pair";
  if (tie) options.push(drawTie());
  area.replaceChildren(...options.map((option) => option.element));
  $("question").textContent = block.question;
  $("confirm").hidden = block.n_select === 1;
  $("confirm").disabled = true;
  $("skip").hidden = !setting.skip || trial.phase === "practice";
  const keys = two ? (tie ? "← → ↓, 1 2 3" : "← →, 1 2") : `1 – ${Math.min(options.length, 9)}`;
  $("hint").textContent = fill(texts.keys, { keys }) + (block.n_select > 1 ? ", Enter" : "");
  return options.map((option) => option.button);
}

// Two frames later the first one has been painted: that is where the clock starts.
function painted() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))));
}

function countPresentation(trial) {
  const shown = read(SHOWN, {});
  const times = (shown.trial === trial.trial ? shown.times : 0) + 1;
  save(SHOWN, { trial: trial.trial, times });
  return times;
}

let answeredForMe = null; // the block that a preview hurries through

async function answered(trial) {
  const first = Array.from({ length: block.n_select }, (_, place) => place);
  if (answeredForMe === trial.block_number) return { trial: trial.trial, outcome: "answered", chosen: first };
  const buttons = await lay(trial);
  for (const button of buttons) button.disabled = true;
  show("trial");
  const presentations = countPresentation(trial);
  const begin = appeared = await painted();
  for (const button of buttons) button.disabled = false;
  const hidden = hiddenClock();
  const chosen = [];
  const clicks = [];
  return new Promise((done) => {
    const controller = new AbortController();
    const listen = (target, type, listener) => target.addEventListener(type, listener, { signal: controller.signal });
    let timer = 0;
    const finish = (outcome, device) => {
      controller.abort();
      clearTimeout(timer);
      for (const button of [...buttons, $("skip"), $("confirm")]) button.disabled = true;
      $("skip").disabled = false;
      done({
        trial: trial.trial,
        outcome,
        chosen: outcome === "answered" ? chosen : [],
        rt_ms: Math.round(performance.now() - begin),
        click_ms: clicks,
        hidden_ms: hidden(),
        input: device,
        presentations,
      });
    };
    const choose = (place, device) => {
      clicks.push(Math.round(performance.now() - begin));
      if (block.n_select === 1) { chosen.push(place); finish("answered", device); return; }
      if (chosen.includes(place)) chosen.splice(chosen.indexOf(place), 1);
      else if (chosen.length < block.n_select) chosen.push(place);
      mark(buttons, chosen);
    };
    buttons.forEach((button, place) => listen(button, "click", (event) => choose(place, deviceOf(event))));
    listen($("confirm"), "click", (event) => chosen.length === block.n_select && finish("answered", deviceOf(event)));
    if (setting.preview) listen($("answer-for-me"), "click", () => { answeredForMe = trial.block_number; chosen.splice(0, Infinity, ...first); finish("answered", ""); });
    listen($("skip"), "click", (event) => finish("skipped", deviceOf(event)));
    listen(document, "keydown", (event) => {
      if (document.body.dataset.phase !== "trial" || $("return").open || belated(event)) return;
      const place = placeOf(event, buttons.length);
      if (place !== null) { event.preventDefault(); choose(place, "key"); }
      else if (event.key === "Enter" && !event.target.closest("button, a, audio, video") && chosen.length === block.n_select) finish("answered", "key");
    });
    if (setting.time_limit_s > 0) timer = setTimeout(() => finish("timed_out", ""), 1000 * setting.time_limit_s);
  });
}

function mark(buttons, chosen) {
  buttons.forEach((button, place) => {
    const rank = chosen.indexOf(place);
    button.setAttribute("aria-pressed", String(rank >= 0));
    button.querySelector(".rank")?.remove();
    if (rank >= 0 && block.ranked) {
      const badge = document.createElement("span");
      badge.className = "rank";
      badge.textContent = rank + 1;
      button.append(badge);
    }
  });
  $("confirm").disabled = chosen.length !== block.n_select;
  notice(fill(texts.chosen, { done: chosen.length, total: block.n_select }), 1500);
}

function deviceOf(event) {
  if (event.detail === 0) return "key";
  return ["touch", "pen"].includes(event.pointerType) ? event.pointerType : "mouse";
}

// Digits, and arrows where there are two, and down for a tie: left is what lies on the left, also in Arabic or Hebrew.
function placeOf(event, count) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return null;
  if (event.target.closest?.("audio, video")) return null;
  if (/^[1-9]$/.test(event.key) && Number(event.key) <= count) return Number(event.key) - 1;
  const tied = block.task === "pair" && count === 3;
  if (tied && event.key === "ArrowDown") return 2;
  if (!(count === 2 || tied) || !["ArrowLeft", "ArrowRight"].includes(event.key)) return null;
  const leftFirst = document.documentElement.dir !== "rtl";
  return (event.key === "ArrowLeft") === leftFirst ? 0 : 1;
}

// How long the page has been hidden since a moment.
function hiddenClock() {
  let total = 0;
  let since = document.hidden ? performance.now() : null;
  const change = () => {
    if (document.hidden) since ??= performance.now();
    else if (since !== null) { total += performance.now() - since; since = null; }
  };
  document.addEventListener("visibilitychange", change);
  return () => {
    document.removeEventListener("visibilitychange", change);
    change();
    return Math.round(total);
  };
}

// ---- the way through the study ----

async function begin() {
  $("agree").disabled = true;
  const before = read(REQUEST, {});
  const request = before.search === location.search ? before.request : randomId();
  save(REQUEST, { search: location.search, request });
  const reply = await call("api/session", {
    consent: true,
    consent_version: setting.consent_version,
    language: setting.language,
    device,
    request,
    params: Object.fromEntries(new URLSearchParams(location.search)),
    viewport: `${window.innerWidth}x${window.innerHeight}`,
    pixel_ratio: window.devicePixelRatio,
  }, { tokens: read(SESSIONS, []).map((known) => known.token) });
  drop(REQUEST);
  session = reply.token ? { id: reply.session, token: reply.token, px_per_mm: device.px_per_mm } : read(SESSIONS, []).find((known) => known.id === reply.session);
  ({ responses, blocks } = reply);
  keep();
  keepPage();
  refill().catch(problem); // media load while the instructions are read
  await run();
}

// A questionnaire, if it has questions and no answers yet; false if its answers end the session.
async function fillIn(moment) {
  const asks = setting.questionnaires[moment.split("-")[0]];
  if (asks.length === 0 || moment in responses) return true;
  const kept = read(DRAFT, {});
  const draft = kept.session === session.id && kept.moment === moment ? kept.answers : {};
  const earlier = Object.assign({}, ...Object.values(responses));
  const { answers, complete } = drawQuestionnaire($("asks"), asks, texts, earlier, draft);
  $("asks").oninput = () => save(DRAFT, { session: session.id, moment, answers: answers() });
  $("submit").disabled = false;
  show("questionnaire");
  const began = appeared;
  for (;;) {
    await new Promise((done) => { $("questionnaire-form").onsubmit = (event) => { event.preventDefault(); done(); }; });
    if (!complete()) continue;
    $("submit").disabled = true;
    const given = answers();
    const reply = await call("api/questionnaire", { moment, answers: given, rt_ms: Math.round(performance.now() - began) });
    responses[moment] = given;
    drop(DRAFT);
    keep();
    if (reply.status === "open") return true;
    over(reply);
    return false;
  }
}

async function instruct() {
  $("block-instructions").innerHTML = block.instructions; // made by the server from Markdown
  $("start").textContent = block.practice ? texts.start_practice : texts.start_main;
  show("instructions");
  await new Promise((done) => { $("start").onclick = done; });
}

// Whether the study is over; the server may know of questions that this page believes answered.
async function complete() {
  if (own().length) message(texts.done_title, texts.sending);
  await send();
  try {
    farewell(await call("api/finish", {}));
    return true;
  } catch (error) {
    if (error.reason !== "not_finished") throw error;
    answeredHere.clear();
    exhausted = false;
    return false;
  }
}

function farewell({ code, redirect }) {
  session = null;
  clearDevice().catch(() => {});
  sendOthers();
  notice("");
  $("another").hidden = named;
  $("code-line").hidden = !code;
  $("code").textContent = code;
  $("redirect").hidden = !redirect;
  if (redirect) $("redirect").href = redirect;
  show("debrief");
}

async function withdraw() {
  if (!window.confirm(texts.withdraw_sure)) return;
  await send();
  await call("api/withdraw", {});
  session = null;
  location.reload();
}

// For somebody who has finished, perhaps long ago or in another browser.
async function withdrawByCode() {
  const code = window.prompt(texts.withdraw_code_ask);
  if (!code) return;
  await call("api/withdraw-by-code", { code }).then(() => message(texts.withdraw_code_done), (error) => notice(error.message, 0));
}

// A link that goes on with this session on another device. What stands behind # reaches no server
// and no log; the token in it is as good as a signature.
function openReturn() {
  const address = `${location.origin}${location.pathname}${location.search}#return=${session.id}.${session.token}`;
  $("return-address").value = address;
  $("mail").href = `mailto:?subject=${encodeURIComponent(document.title)}&body=${encodeURIComponent(address)}`;
  call("api/qr", { address }, { instead: null }).then((reply) => {
    if (!reply) return; // without a connection the link can be copied all the same
    const picture = new Image(200, 200);
    picture.alt = texts.return_qr;
    picture.src = URL.createObjectURL(new Blob([reply.svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"')], { type: "image/svg+xml" }));
    $("return-qr").replaceChildren(picture);
    $("return-qr").hidden = false;
  }, () => {});
  $("copy").textContent = texts.copy;
  $("return").showModal();
  $("return-address").select();
}

$("copy").addEventListener("click", () => {
  $("return-address").select();
  const done = () => { $("copy").textContent = texts.copied; };
  if (navigator.clipboard) navigator.clipboard.writeText($("return-address").value).then(done, () => {});
  else if (document.execCommand("copy")) done(); // without https there is no other way
});
$("return-close").addEventListener("click", () => $("return").close());

// The session that the address brings, if this browser did not know it.
function takeReturn() {
  const [, id, token] = location.hash.match(/^#return=(\w+)\.([\w-]+)$/) ?? [];
  if (!id) return null;
  history.replaceState(null, "", location.pathname + location.search);
  const known = read(SESSIONS, []);
  const own = known.find((other) => other.token === token);
  save(SESSIONS, [own ?? { id, token }, ...known.filter((other) => other.id !== id)].slice(0, MOST_SESSIONS));
  return own ? null : id;
}

window.addEventListener("hashchange", () => { if (location.hash) location.reload(); });

// The experimenter hears what went wrong here; nobody waits for that.
const MOST_REPORTS = 5;
let reports = 0;

function report(error, where = "") {
  if (error instanceof Refused || reports++ >= MOST_REPORTS) return;
  const body = JSON.stringify({ message: String(error?.message ?? error), where, phase: document.body.dataset.phase });
  const headers = { "content-type": "application/json", "ordinate-session": session?.token ?? "" };
  fetch("api/error", { method: "POST", body, headers, keepalive: true }).catch(() => {});
}

window.addEventListener("error", (event) => report(event.error ?? event.message, `${event.filename}:${event.lineno}`));
window.addEventListener("unhandledrejection", (event) => report(event.reason, event.reason?.stack?.split("\n")[1]?.trim()));

// What the server refuses for good ends the study, with a word of explanation and a way on.
function problem(error) {
  if (error.reason === "paused") { waitForResume(); return; }
  if (["consent_changed", "complete", "expired", "returned", "screened", "failed"].includes(error.reason)) { location.reload(); return; }
  const count = own().length;
  const text = error.reason === "no_session" ? fill(texts.session_lost, { count }) : texts[error.reason] ?? error.message;
  const leave = leaveBy(error.reason);
  halt(error instanceof Refused ? text : texts.failed, "", leave.length ? leave : tryAgain());
  if (!(error instanceof Refused)) throw error;
}

// For the next person on the same device, where the address does not say who that is.
function another() {
  drop(SESSIONS);
  location.reload();
}

async function waitForResume() {
  if (paused) return;
  paused = true;
  halt(texts.paused);
  do { await wait(4000); } while ((await call("api/state")).paused);
  location.reload();
}

// The newest tab owns the study; the others wait.
function takeOver() {
  owner = true;
  return save(OWNER, tab);
}

window.addEventListener("storage", (event) => {
  if (event.key === OWNER && event.newValue !== JSON.stringify(tab) && owner && session) {
    owner = false;
    halt(texts.other_tab, "", [[texts.continue_here, () => { takeOver(); location.reload(); }]]);
  }
});
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
window.addEventListener("pagehide", keep);
window.addEventListener("online", () => {
  if (session) send().catch(problem);
  sendOthers();
});

async function main() {
  $("agree").addEventListener("click", () => begin().catch(problem));
  $("disagree").addEventListener("click", () => message(texts.declined, "", [...leaveBy("declined"), [texts.back, () => show("consent")]]));
  $("withdraw").addEventListener("click", () => withdraw().catch(problem));
  $("withdraw-code").addEventListener("click", () => withdrawByCode().catch(problem));
  $("another").addEventListener("click", another);
  $("return-open").addEventListener("click", openReturn);
  const brought = takeReturn();
  const kept = read(NEXT, null);
  const instead = kept && ["", kept.search].includes(location.search) ? null : undefined;
  const tokens = read(SESSIONS, []).map((known) => known.token);
  const state = await call(`api/state${location.search}`, undefined, { instead, tokens });
  if (!takeOver()) { halt(texts.no_storage, "", tryAgain()); return; }
  if (state === null) { await goOn(kept); return; }
  named = state.named;
  const isOver = ["complete", "returned", "expired", "screened", "failed"].includes(state.session?.status);
  if (state.paused && !isOver) { waitForResume(); return; }
  if (!state.session) {
    sendOthers();
    ({ ways } = state);
    if (state.refused) { halt(texts[state.refused]); return; }
    const reason = await checkDevice(setting.device, device);
    if (reason) halt(fill(texts[reason], setting.device), "", [...leaveBy("screened"), ...tryAgain()]);
    else show("consent");
    return;
  }
  const { id, status } = state.session;
  session = read(SESSIONS, []).find((known) => known.id === id);
  send().catch(problem);
  sendOthers();
  if (status === "complete") { farewell(state); return; }
  if (isOver) { over({ ...state, status }); return; }
  ({ responses, blocks } = state.session);
  if (id === brought) {
    const reason = await checkDevice(setting.device, device);
    if (reason) { halt(fill(texts[reason], setting.device), "", tryAgain()); return; }
    session.px_per_mm = device.px_per_mm;
  }
  keepPage();
  await refill();
  await run();
}

// The last page of somebody who did not reach the end, with the way on.
function over({ status, code, redirect }) {
  session = null;
  clearDevice().catch(() => {});
  const title = { expired: texts.expired, screened: texts.screened, failed: texts.failed_attention }[status] ?? texts.withdrawn;
  const text = code ? fill(status === "returned" ? texts.withdrawn_code : texts.ended_code, { code }) : "";
  ways[status] = redirect;
  halt(title, text, [...leaveBy(status), ...(named ? [] : [[texts.another, another, false]])]);
}

// Reloaded without a connection: what was kept is asked next, and the rest when it is back.
async function goOn(kept) {
  ({ session, named, exhausted, responses, blocks } = kept);
  ready = kept.next.filter((trial) => !answeredHere.has(trial.trial));
  send().catch(problem);
  preload(ready);
  await run();
}

main().catch(problem);
