"use strict";

// The page: search, card, legend, selection, and what hands do on the map.
const canvas = element("map");
const CSV_NEEDS_QUOTES = /[",\r\n]/;
const PAPER = { paper: "#ffffff", ink: "#222222", quiet: "#6b6b6b", faint: "#d4d4d4", mark: "#d55e00", lighter: "0" };
const scene = { column: null, hidden: new Set(), selected: new Set(), focused: null, near: [], found: [], regions: true,
                pictures: true, moving: false, settled: false, lasso: null, palette: null };
let contents, view, painter, pinned = false, written = [], due = false, stale = true;

// ---- drawing ----

function density() { return Math.min(2, window.devicePixelRatio || 1); }

function paint() {
  due = false;
  if (!view.zoom) return; // in a frame that is closed
  scene.settled = !stale;
  stale = false;
  written = painter.paint(canvas.getContext("2d", { willReadFrequently: view.n >= CROWD }), scene, density());
}

// Objects that stay as they are need not be drawn again to ring one of them.
function redraw(objects = true) {
  stale ||= objects;
  if (!due) requestAnimationFrame(paint);
  due = true;
}

function palette() {
  const style = getComputedStyle(document.documentElement), font = getComputedStyle(document.body).fontFamily;
  const names = Object.keys(PAPER);
  return { font, ...Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) };
}

function resize() {
  const { width, height } = canvas.parentElement.getBoundingClientRect();
  if (!width || !height) return;
  canvas.width = Math.round(width * density());
  canvas.height = Math.round(height * density());
  view.resize(width, height);
  stale = true;
  paint(); // at once: a canvas that changes its size is empty
}

// ---- files that the page hands out ----

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// As on the screen, but on white paper and with the legend; `make` returns what to draw on, of the size needed.
function drawForPaper(make) {
  const palette = { ...scene.palette, ...PAPER }, measure = canvas.getContext("2d");
  const [wide, high] = painter.legendSize(measure, palette);
  const { context, density } = make(view.width + wide, Math.max(view.height, high));
  const drawn = { ...scene, settled: false, moving: false, palette };
  Object.assign(context, { fillStyle: PAPER.paper });
  context.fillRect(0, 0, 2 * (view.width + wide), 2 * Math.max(view.height, high));
  painter.paint(context, drawn, density);
  if (wide) painter.legend(context, palette);
  redraw();
  return context;
}

function savePicture() {
  const context = drawForPaper((width, height) => {
    const copy = document.createElement("canvas"), twice = 2;
    Object.assign(copy, { width: twice * width, height: twice * height });
    return { context: copy.getContext("2d", { willReadFrequently: true }), density: twice };
  });
  context.canvas.toBlob((blob) => download(blob, "map.png"));
}

function saveDrawing() {
  const drawing = drawForPaper((width, height) => ({ context: new SvgContext(width, height), density: 1 }));
  download(new Blob([String(drawing)], { type: "image/svg+xml" }), "map.svg");
}

function quoted(entry) {
  const text = String(entry);
  return CSV_NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveTable(objects, name) {
  const columns = contents.columns.map(({ name, values, classes, codes }) =>
    ({ name, entry: (object) => (values ? values[object] : classes[codes[object]]) }));
  const axes = contents.coordinates.map((name, axis) => ({ name, entry: (object) => contents.positions[axis][object] }));
  const all = [{ name: "object", entry: (object) => contents.names[object] }, ...axes, ...columns];
  const rows = [all.map(({ name }) => name), ...Array.from(objects, (object) => all.map(({ entry }) => entry(object)))];
  download(new Blob([rows.map((row) => row.map(quoted).join(",") + "\n").join("")], { type: "text/csv" }), name);
}

// ---- one object, several objects ----

function focus(object) {
  if (object === scene.focused) return;
  scene.focused = object;
  scene.near = object === null ? [] : contents.neighbors[object];
  fillCard();
  redraw(false);
}

function pin(object) {
  pinned = object !== null;
  scene.found = [];
  focus(object);
  element("card").classList.toggle("pinned", pinned);
  redraw(false);
}

function visit(object) {
  view.visit(object);
  pin(object);
  redraw();
}

function select(objects) {
  scene.selected = new Set(objects);
  const n = scene.selected.size;
  element("selection").hidden = !n;
  element("selection").querySelector("span").textContent = `${n.toLocaleString("en")} ${n === 1 ? "object" : "objects"} selected`;
  redraw();
}

function fillCard() {
  const card = element("card"), object = scene.focused;
  card.replaceChildren();
  card.hidden = object === null;
  if (card.hidden) return;
  card.classList.toggle("right", view.left[object] < view.width / 2); // never over the object
  if (contents.images[object]) Object.assign(make("img", "", card), { src: contents.images[object], alt: "" });
  make("strong", contents.names[object], card);
  if (contents.columns.length) {
    const facts = make("dl", "", card);
    for (const { name, classes, codes, values } of contents.columns) {
      make("dt", name, facts);
      make("dd", values ? readable(values[object]) : classes[codes[object]], facts);
    }
  }
  if (!scene.near.length) return;
  make("p", "nearest", card);
  for (const other of scene.near) make("button", contents.names[other], card).onclick = () => visit(other);
}

// ---- colours and their legend ----

function listColumns() {
  element("coloring").hidden = !contents.columns.length;
  const list = element("color");
  make("option", "none", list).value = -1;
  contents.columns.forEach(({ name, classes }, number) => {
    const distinct = !classes || classes.length <= contents.looks.length; // the card shows the others
    if (distinct || number === contents.shown) make("option", name, list).value = number;
  });
  list.value = contents.shown;
  list.onchange = color;
  color();
}

function color() {
  const column = contents.columns[element("color").value] ?? null, legend = element("legend");
  scene.column = column;
  scene.hidden = new Set();
  legend.replaceChildren();
  legend.hidden = !isListed(column);
  redraw();
  if (legend.hidden) return;
  const { looks } = looksOf(contents, column, scene.palette);
  if (column.values) fillScale(legend, column, looks);
  else column.classes.forEach((name, code) => legendEntry(legend, name, code, looks[code]));
}

function fillScale(legend, column, looks) {
  const row = make("div", "", legend), bar = make("div", "", row), ends = make("div", "", row);
  row.style.display = "flex";
  bar.className = "scale";
  ends.className = "ends";
  bar.style.background = `linear-gradient(to top, ${looks.map((look) => look.color).join(", ")})`;
  for (const text of legendTexts(column)) make("span", text, ends);
}

function legendEntry(legend, name, code, look) {
  const button = make("button", "", legend);
  button.append(sprite(look, 9, density()).canvas, name);
  button.ariaPressed = "true";
  button.onclick = () => {
    if (!scene.hidden.delete(code)) scene.hidden.add(code);
    button.ariaPressed = String(!scene.hidden.has(code));
    redraw();
  };
}

// ---- hands on the map ----

const fingers = new Map();
let travelled = 0;

function spot(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

const countsIn = (object) => painter.visible(object);
const wantsLasso = (event) => event.shiftKey || element("lasso").ariaPressed === "true";

function press(event) {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, spot(event));
  travelled = 0;
  scene.lasso = fingers.size === 1 && wantsLasso(event) ? [spot(event)] : null;
}

function drag(event) {
  const here = spot(event), before = fingers.get(event.pointerId);
  if (!before) {
    if (!pinned && event.pointerType === "mouse") focus(view.nearest(...here, countsIn));
    return;
  }
  const [across, down] = [here[0] - before[0], here[1] - before[1]];
  travelled += Math.hypot(across, down);
  scene.moving = true;
  if (scene.lasso) scene.lasso.push(here);
  else if (fingers.size === 2) pinch(event.pointerId, before, here);
  else if (view.spatial && !(event.ctrlKey || event.buttons === 2)) view.turn(across, down);
  else view.move(across, down);
  fingers.set(event.pointerId, here);
  redraw();
}

function pinch(finger, before, here) {
  const other = [...fingers].find(([id]) => id !== finger)[1];
  const apart = ([left, top]) => Math.hypot(left - other[0], top - other[1]) || 1;
  view.move((here[0] - before[0]) / 2, (here[1] - before[1]) / 2);
  view.zoomAt(apart(here) / apart(before), (here[0] + other[0]) / 2, (here[1] + other[1]) / 2);
}

function lift(event) {
  if (!fingers.delete(event.pointerId)) return;
  if (scene.lasso && travelled > 6) select(view.within(scene.lasso, countsIn));
  else if (travelled <= 6 && event.type === "pointerup") tap(spot(event), event.shiftKey);
  scene.lasso = null;
  scene.moving = fingers.size > 0;
  redraw();
}

function tap(place, several) {
  const object = view.nearest(...place, countsIn, 16);
  if (several && object !== null) toggle(object);
  else pin(pinned && object === scene.focused ? null : object);
}

function toggle(object) {
  const selected = new Set(scene.selected);
  if (!selected.delete(object)) selected.add(object);
  select(selected);
}

function wheel(event) {
  // within another page the wheel belongs to that page until one has clicked on the map
  if (window.self !== window.top && document.activeElement !== canvas) return;
  event.preventDefault();
  view.zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...spot(event));
  redraw();
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const arrow = ARROWS[event.key], middle = [view.width / 2, view.height / 2];
  if (arrow && event.shiftKey) step(...arrow);
  else if (arrow && view.spatial) view.turn(-30 * arrow[0], -30 * arrow[1]);
  else if (arrow) view.move(-60 * arrow[0], -60 * arrow[1]);
  else if (event.key === "+" || event.key === "=") view.zoomAt(1.3, ...middle);
  else if (event.key === "-") view.zoomAt(1 / 1.3, ...middle);
  else if (event.key === "0") view.fit();
  else if (event.key === " " && scene.focused !== null) toggle(scene.focused);
  else if (event.key === "Escape") { pin(null); select([]); }
  else return;
  event.preventDefault();
  redraw();
}

function step(across, down) {
  const from = scene.focused ?? view.nearest(view.width / 2, view.height / 2, countsIn, Infinity);
  const to = scene.focused === null ? from : view.next(from, across, down, countsIn);
  if (to !== null) visit(to);
}

// ---- start ----

function listen() {
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", drag);
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, lift);
  canvas.addEventListener("pointerleave", () => { if (!pinned) focus(null); });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("keydown", key);
  element("search").oninput = () => { scene.found = listMatches(); redraw(false); };
  element("search").onkeydown = steerSearch;
  const zoom = (factor) => () => { view.zoomAt(factor, view.width / 2, view.height / 2); redraw(); };
  element("closer").onclick = zoom(1.4);
  element("farther").onclick = zoom(1 / 1.4);
  element("fit").onclick = () => { view.fit(); redraw(); };
  element("lasso").onclick = ({ currentTarget: button }) => {
    button.ariaPressed = String(button.ariaPressed !== "true");
    canvas.classList.toggle("lasso", button.ariaPressed === "true");
  };
  element("png").onclick = savePicture;
  element("svg").onclick = saveDrawing;
  element("csv").onclick = () => saveTable(contents.names.keys(), "map.csv");
  element("csv-selected").onclick = () => saveTable(scene.selected, "selection.csv");
  element("clear").onclick = () => select([]);
  for (const layer of ["regions", "pictures"])
    element(layer).onchange = (event) => { scene[layer] = event.target.checked; redraw(); };
  new ResizeObserver(resize).observe(canvas.parentElement);
  matchMedia("(prefers-color-scheme: dark)").onchange = () => { scene.palette = palette(); color(); };
}

async function start() {
  if (!window.DecompressionStream) {
    make("p", "This page needs a browser of 2023 or later.", document.querySelector("main"));
    return;
  }
  contents = JSON.parse(await unpack("contents"));
  contents.folded = contents.names.map(folded);
  canvas.ariaLabel = `${document.title}: ${contents.names.length.toLocaleString("en")} objects`;
  view = new View(contents);
  painter = new Painter(contents, view);
  scene.palette = palette();
  view.margin[0] += painter.roomForNames(canvas.getContext("2d"), scene.palette.font);
  element("regions-shown").hidden = !contents.regions.length;
  element("regions-shown").querySelector("span").textContent = contents.regions_name;
  element("pictures-shown").hidden = !painter.pictures.some(Boolean);
  resize();
  listColumns();
  listen();
  await Promise.all(painter.pictures.filter(Boolean).map((image) => image.decode().catch(() => null)));
  stale = true;
  paint();
  document.body.dataset.ready = "yes";
}

start();
