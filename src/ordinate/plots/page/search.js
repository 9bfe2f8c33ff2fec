"use strict";

// What all pages have: their contents, and a field that finds objects. A page says what `visit` and `pin` do.
const element = (id) => document.getElementById(id);
const MOST_MATCHES = 8;
const LETTERS = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i" };

async function unpack(id) {
  const bytes = Uint8Array.from(atob(element(id).textContent), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).text();
}

function make(tag, text, parent) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

// ---- search, whatever the accents ----

function folded(text) {
  const plain = text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.replace(/[øłđðþßæœı]/g, (letter) => LETTERS[letter]);
}

function matching(words) {
  const wanted = folded(words.trim()), begin = [], hold = [];
  if (!wanted) return [];
  contents.folded.forEach((name, object) => {
    const at = name.indexOf(wanted);
    if (at === 0) begin.push(object);
    else if (at > 0 && hold.length < MOST_MATCHES) hold.push(object);
  });
  begin.sort((a, b) => contents.folded[a].length - contents.folded[b].length);
  return [...begin, ...hold].slice(0, MOST_MATCHES);
}

function listMatches() {
  const list = element("matches"), search = element("search"), found = matching(search.value);
  list.replaceChildren();
  found.forEach((object, number) => {
    const option = make("li", contents.names[object], list);
    Object.assign(option, { id: `match-${number}`, role: "option", onclick: () => choose(object) });
  });
  if (search.value.trim() && !found.length) {
    const none = make("li", "no object of that name", list);
    Object.assign(none, { className: "none", role: "option", ariaDisabled: "true" });
  }
  search.ariaExpanded = String(list.childElementCount > 0);
  mark(found.length ? 0 : null);
  return found;
}

function mark(number) {
  const options = [...element("matches").querySelectorAll("[role=option]:not(.none)")];
  options.forEach((option, at) => { option.ariaSelected = String(at === number); });
  if (number === null) element("search").removeAttribute("aria-activedescendant");
  else element("search").setAttribute("aria-activedescendant", `match-${number}`);
}

function closeMatches() {
  element("matches").replaceChildren();
  element("search").ariaExpanded = "false";
  mark(null);
}

function choose(object) {
  element("search").value = contents.names[object];
  closeMatches();
  visit(object);
}

function steerSearch(event) {
  const options = [...element("matches").querySelectorAll("[role=option]:not(.none)")];
  const at = options.findIndex((option) => option.ariaSelected === "true");
  if (event.key === "Enter" && at >= 0) options[at].click();
  if (event.key === "Escape") { closeMatches(); pin(null); }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !options.length) return;
  event.preventDefault();
  mark((at + step + options.length) % options.length);
}
