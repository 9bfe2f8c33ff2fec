"use strict";

// Dimensions as cards with a field for their names; objects as roses, one or two side by side.
const pristine = document.documentElement.outerHTML; // before anything is drawn: what is saved with names
const MOST_REASONS = 6, LEAST_REASON = 0.05;
const SVG = "http://www.w3.org/2000/svg";
let contents, names, shown = [], unsaved = false;

const called = (dimension) => names[dimension] || `${dimension + 1}: ${topNames(dimension).slice(0, 2).join(", ")} …`;
const topNames = (dimension) => contents.top[dimension].map((object) => contents.names[object]);
const loading = (object, dimension) => contents.loadings[dimension][object];
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`; // never alone on a line

// ---- cards ----

function drawCard(dimension) {
  const card = make("section", "", element("cards"));
  Object.assign(card, { className: "card", id: `dimension-${dimension}` });
  const heading = make("h2", "", card);
  make("span", String(dimension + 1), heading);
  const field = make("input", "", heading);
  Object.assign(field, { value: names[dimension], placeholder: "name this dimension",
                         ariaLabel: `Name of dimension ${dimension + 1}` });
  field.oninput = () => { names[dimension] = field.value.trim(); unsaved = true; drawObjects(); };
  make("p", figures(dimension), card).className = "figures";
  const list = make("ol", "", card), largest = loading(contents.top[dimension][0], dimension);
  list.className = contents.has_pictures ? "pictures" : "words";
  for (const object of contents.top[dimension]) {
    const button = make("button", "", make("li", "", list));
    if (contents.has_pictures) drawPicture(object, button);
    make("span", contents.names[object], button).className = "word";
    if (!contents.has_pictures) {
      const bar = make("span", "", button);
      bar.className = "bar";
      bar.style.width = `${100 * loading(object, dimension) / largest}%`;
    }
    Object.assign(button, { title: `${contents.names[object]}: ${loading(object, dimension)}`, onclick: () => visit(object) });
  }
}

function figures(dimension) {
  const again = contents.reproducibility[dimension];
  const share = `${percent(contents.shares[dimension])} of predicted similarity`;
  return again === null ? share : `${share}, found again with r = ${again.toFixed(2)}`;
}

function drawPicture(object, parent) {
  const picture = make(contents.images[object] ? "img" : "span", "", parent);
  if (contents.images[object]) Object.assign(picture, { src: contents.images[object], alt: "" });
  else picture.className = "empty";
}

function filterCards() {
  const wanted = folded(element("filter").value.trim());
  for (let dimension = 0; dimension < names.length; dimension++) {
    const words = [called(dimension), ...topNames(dimension)];
    element(`dimension-${dimension}`).hidden = !words.some((word) => folded(word).includes(wanted));
  }
}

function showDimension(dimension) {
  document.querySelectorAll(".card.marked").forEach((card) => card.classList.remove("marked"));
  const card = element(`dimension-${dimension}`);
  card.hidden = false;
  card.classList.add("marked");
  card.scrollIntoView({ block: "center", behavior: "smooth" });
}

// ---- objects ----

function visit(object) {
  shown = shown.length === 1 && shown[0] !== object ? [shown[0], object] : [object];
  drawObjects();
}

function pin() { shown = []; drawObjects(); }

function drawObjects() {
  const panel = element("objects");
  panel.replaceChildren();
  panel.hidden = !shown.length;
  if (!shown.length) return;
  const close = make("button", "Close", panel);
  Object.assign(close, { className: "close", onclick: pin });
  const pair = make("div", "", panel);
  pair.className = "pair";
  for (const object of shown) drawObject(object, pair);
  if (shown.length === 2) comparePair(...shown, panel);
  else {
    listReasons("Its dimensions", ranked((dimension) => loading(shown[0], dimension)), panel);
    make("p", "Choose another object to see both side by side.", panel);
  }
}

function drawObject(object, parent) {
  const part = make("div", "", parent);
  part.className = "one";
  if (contents.images[object]) make("img", "", part).src = contents.images[object];
  make("h2", contents.names[object], part);
  drawRose(object, part);
}

// A petal per dimension, always in the same direction; its area grows with the loading.
function drawRose(object, parent) {
  const rose = document.createElementNS(SVG, "svg"), n = names.length;
  rose.setAttribute("viewBox", "-100 -100 200 200");
  rose.setAttribute("role", "img");
  rose.setAttribute("aria-label", `Dimensions of ${contents.names[object]}`);
  for (const radius of [50, 95]) {
    const ring = document.createElementNS(SVG, "circle");
    ring.setAttribute("r", radius);
    rose.append(ring);
  }
  for (let dimension = 0; dimension < n; dimension++) {
    const radius = 95 * Math.sqrt(loading(object, dimension) / contents.largest);
    if (radius < 2) continue;
    const ends = [dimension / n, (dimension + 1) / n].map((turn) => {
      const angle = 2 * Math.PI * turn - Math.PI / 2;
      return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
    });
    const petal = document.createElementNS(SVG, "path");
    const whole = n === 1 ? `M${radius} 0A${radius} ${radius} 0 1 1 ${-radius} 0A${radius} ${radius} 0 1 1 ${radius} 0Z` : null;
    petal.setAttribute("d", whole || `M0 0L${ends[0]}A${radius} ${radius} 0 ${n === 2 ? 1 : 0} 1 ${ends[1]}Z`);
    const title = document.createElementNS(SVG, "title");
    title.textContent = `${called(dimension)}: ${loading(object, dimension)}`;
    petal.append(title);
    petal.onclick = () => showDimension(dimension);
    rose.append(petal);
  }
  parent.append(rose);
}

function ranked(value) {
  const reasons = names.map((_, dimension) => ({ dimension, value: value(dimension) }));
  return reasons.filter((reason) => reason.value > LEAST_REASON).sort((a, b) => b.value - a.value).slice(0, MOST_REASONS);
}

function listReasons(title, reasons, parent, note = (reason) => reason.value.toFixed(2)) {
  make("h3", title, parent);
  if (!reasons.length) make("p", "nothing", parent);
  const table = make("table", "", parent);
  for (const reason of reasons) {
    const row = make("tr", "", table);
    const button = make("button", called(reason.dimension), make("td", "", row));
    button.onclick = () => showDimension(reason.dimension);
    make("td", note(reason), row).className = "number";
  }
}

function comparePair(a, b, parent) {
  const product = (dimension) => loading(a, dimension) * loading(b, dimension);
  const similarity = names.reduce((sum, _, dimension) => sum + product(dimension), 0);
  make("p", `Similarity ${similarity.toFixed(2)}`, parent);
  const share = (reason) => `${reason.value.toFixed(2)} (${percent(reason.value / similarity)})`;
  listReasons("Alike because of", ranked(product), parent, share);
  const apart = (dimension) => Math.abs(loading(a, dimension) - loading(b, dimension));
  const both = ({ dimension }) => `${loading(a, dimension).toFixed(2)} and ${loading(b, dimension).toFixed(2)}`;
  listReasons("Unlike because of", ranked(apart), parent, both);
}

// ---- files ----

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function savePage() {
  const kept = JSON.stringify(names).replaceAll("<", "\\u003c");
  const begin = pristine.indexOf("[", pristine.indexOf('id="names"')), end = pristine.indexOf("<\/script>", begin);
  download("dimensions.html", "text/html", `<!doctype html>\n${pristine.slice(0, begin)}${kept}${pristine.slice(end)}`);
  unsaved = false;
}

function saveTable() {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = names.map((name, d) => [d + 1, quoted(name), contents.shares[d], contents.reproducibility[d] ?? ""].join(","));
  download("dimension-names.csv", "text/csv", `dimension,name,share,reproducibility\n${lines.join("\n")}\n`);
}

async function start() {
  if (!window.DecompressionStream) {
    make("p", "This page needs a browser of 2023 or later.", document.querySelector("main"));
    return;
  }
  contents = JSON.parse(await unpack("contents"));
  contents.folded = contents.names.map(folded);
  const kept = JSON.parse(element("names").textContent);
  names = contents.dimension_names.map((name, dimension) => kept[dimension] ?? name);
  for (let dimension = 0; dimension < names.length; dimension++) drawCard(dimension);
  element("search").oninput = listMatches;
  element("search").onkeydown = steerSearch;
  element("filter").oninput = filterCards;
  element("save").onclick = savePage;
  element("csv").onclick = saveTable;
  window.onbeforeunload = () => (unsaved ? "Names are not saved yet." : undefined);
  document.body.dataset.ready = "true";
}

start();
