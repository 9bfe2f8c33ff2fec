"use strict";

const element = (id) => document.getElementById(id);
const map = element("map");
const MOST_MATCHES = 8;
const LABEL = { height: 12, gap: 6, most: 200, tried: 4000 };
const ruler = document.createElement("canvas").getContext("2d");
const CELL = 6;
const FRAME = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
let contents, shown = -1, pinned = false, focused = null, near = [];

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

// Plotly reads links and tags in what it writes; names are text
const asText = (name) => String(name).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// ---- what is drawn ----

function trace(objects, marker, name) {
  const [x, y, z] = contents.positions.map((axis) => objects.map((object) => axis[object]));
  return {
    type: z ? "scatter3d" : "scattergl", mode: "markers", x, y, ...(z && { z }),
    customdata: objects, hoverinfo: "none", name, showlegend: Boolean(name),
    marker: { size: z ? 0.5 * contents.size : contents.size, opacity: contents.opacity, line: { width: 0 }, ...marker },
  };
}

function everything() { return contents.names.map((_, object) => object); }

function traces() {
  const column = contents.columns[shown];
  if (!column) return [trace(everything(), { color: contents.looks[0].color })];
  if (column.values) {
    const scale = { color: column.values, colorscale: contents.scale, showscale: true };
    return [trace(everything(), { ...scale, colorbar: { thickness: 12, len: 0.5, outlinewidth: 0 } })];
  }
  const members = column.classes.map(() => []);
  column.codes.forEach((code, object) => members[code].push(object));
  return members.map((objects, code) => {
    const { color, symbol } = contents.looks[code % contents.looks.length];
    const legible = spatial() ? SOLID[symbol] || symbol : symbol;
    return trace(objects, { color, symbol: legible }, column.listed ? asText(column.classes[code]) : "");
  });
}

// three dimensions have fewer symbols
const SOLID = { "triangle-up": "diamond-open", "triangle-down": "square-open" };

function edges() {
  if (!contents.edges.length) return [];
  const ends = contents.positions.map((axis) =>
    contents.edges.flatMap(([from, to]) => [axis[from], axis[to], null]));
  const [x, y, z] = ends;
  return [{
    type: z ? "scatter3d" : "scattergl", mode: "lines", x, y, ...(z && { z }), hoverinfo: "skip",
    showlegend: false, line: { color: contents.faint, width: 1 },
  }];
}

function regions() {
  if (!contents.regions.length) return [];
  const [x, y, z] = contents.positions.map((_, axis) =>
    contents.regions.flatMap((outline) => [...outline.map((corner) => corner[axis]), null]));
  return [{
    type: z ? "scatter3d" : "scatter", mode: "lines", x, y, ...(z && { z }), hoverinfo: "skip",
    name: asText(contents.regions_name), showlegend: true, line: { color: contents.faint, width: 1 },
  }];
}

function layout() {
  const quiet = { showgrid: false, zeroline: false, showticklabels: false, title: { text: "" } };
  const base = {
    ...FRAME, margin: { l: 10, r: 10, t: 10, b: 10 }, hovermode: "closest", dragmode: "pan",
    legend: { itemsizing: "constant", bgcolor: "rgba(255,255,255,.8)", y: 0.93 }, uirevision: "keep",
  };
  if (spatial()) {
    const axis = { showticklabels: false, title: { text: "" }, showspikes: false, zeroline: false };
    return { ...base, dragmode: "orbit",
             scene: { aspectmode: "data", xaxis: axis, yaxis: axis, zaxis: axis } };
  }
  const [across, up] = contents.axis_names.map((name) => ({ text: asText(name) }));
  const xaxis = { ...quiet, ...(across && { title: across }) };
  const yaxis = { ...quiet, ...(up && { title: up }) };
  if (contents.ordered) xaxis.showticklabels = true;
  else yaxis.scaleanchor = "x";
  if (across) base.margin = { l: 40, r: 10, t: 10, b: 45 };
  return { ...base, xaxis, yaxis };
}

async function draw() {
  await Plotly.react(map, [...edges(), ...regions(), ...traces()], layout(),
    { responsive: true, scrollZoom: true, displaylogo: false, displayModeBar: "hover" });
  await mark();
  write();
}

// ---- names and rings, which are cheap to change: no point is drawn again for them ----

function hidden() {
  const away = map.data.filter((one) => one.visible === "legendonly").map((one) => one.name);
  const column = contents.columns[shown];
  return (object) => Boolean(column && column.classes) && away.includes(asText(column.classes[column.codes[object]]));
}

function inView() {
  const { xaxis, yaxis } = map._fullLayout, [x, y] = contents.positions;
  const [left, right] = xaxis.range, [low, high] = yaxis.range, away = hidden();
  return everything().filter((object) => x[object] > left && x[object] < right
    && y[object] > low && y[object] < high && !away(object));
}

function canvas(objects, place) {
  const { xaxis, yaxis } = map._fullLayout;
  const width = Math.ceil(xaxis._length / CELL), height = Math.ceil(yaxis._length / CELL);
  const taken = new Uint8Array(width * height);
  const cells = (left, right, middle) => {
    const found = [];
    for (let row = Math.floor((middle - LABEL.height / 2) / CELL); row <= (middle + LABEL.height / 2) / CELL; row++)
      for (let column = Math.floor(left / CELL); column <= right / CELL; column++)
        found.push(row < 0 || row >= height || column < 0 || column >= width ? -1 : row * width + column);
    return found;
  };
  for (const object of objects) {
    const [across, down] = place(object);
    taken[Math.floor(down / CELL) * width + Math.floor(across / CELL)] = 1;
  }
  return (left, right, middle) => {
    const wanted = cells(left, right, middle);
    if (wanted.some((cell) => cell < 0 || taken[cell])) return false;
    wanted.forEach((cell) => { taken[cell] = 1; });
    return true;
  };
}

function names() {
  const { xaxis, yaxis } = map._fullLayout, [x, y] = contents.positions;
  const place = (object) => [xaxis.d2p(x[object]), yaxis.d2p(y[object])];
  const objects = inView(), claim = canvas(objects, place), written = [];
  const step = Math.max(1, objects.length / LABEL.tried);
  for (let at = 0; at < objects.length && written.length < LABEL.most; at += step) {
    const object = objects[Math.floor(at)], text = contents.names[object];
    const [across, down] = place(object), width = ruler.measureText(text).width;
    for (const left of [across + LABEL.gap, across - LABEL.gap - width])
      if (claim(left, left + width, down)) {
        written.push({ text, left: left + xaxis._offset, top: down + yaxis._offset - LABEL.height / 2 });
        break;
      }
  }
  return written;
}

function write() {
  if (spatial()) return;
  const layer = element("names");
  layer.replaceChildren();
  for (const { text, left, top } of names())
    Object.assign(make("span", text, layer).style, { left: `${left}px`, top: `${top}px` });
}

function escaped(text) { return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"); }

function ring(object, radius, color) {
  const [x, y] = contents.positions;
  return { type: "circle", xsizemode: "pixel", ysizemode: "pixel", xanchor: x[object],
           yanchor: y[object], x0: -radius, x1: radius, y0: -radius, y1: radius,
           line: { color, width: 2 } };
}

function rings() {
  if (focused === null) return [];
  return [...near.map((object) => ring(object, 8, contents.quiet)),
          ring(focused, 11, contents.looks[1].color)];
}

function pointer() {
  if (focused === null) return [];
  const [x, y, z] = contents.positions.map((axis) => axis[focused]);
  return [{ x, y, z, text: escaped(contents.names[focused]), arrowcolor: contents.looks[1].color,
            arrowwidth: 2, font: { color: contents.ink }, bgcolor: "rgba(255,255,255,.8)" }];
}

const spatial = () => contents.positions.length === 3;
const mark = () => Plotly.relayout(map, spatial() ? { "scene.annotations": pointer() } : { shapes: rings() });

// ---- one object ----

function focus(object) {
  if (object === focused) return;
  focused = object;
  near = object === null ? [] : contents.neighbors[object];
  fillCard();
  mark();
}

function pin(object) {
  pinned = object !== null;
  focus(object);
  element("card").classList.toggle("pinned", pinned);
}

function fillCard() {
  const card = element("card");
  card.replaceChildren();
  card.hidden = focused === null;
  if (card.hidden) return;
  const image = contents.images[focused];
  if (image) make("img", "", card).src = image;
  make("strong", contents.names[focused], card);
  const facts = make("dl", "", card);
  for (const { name, classes, codes, values } of contents.columns) {
    make("dt", name, facts);
    make("dd", values ? String(Number(values[focused].toPrecision(5))) : classes[codes[focused]], facts);
  }
  make("p", "nearest", card);
  for (const object of near) {
    const button = make("button", contents.names[object], make("div", "", card));
    button.onclick = () => visit(object);
  }
}

async function visit(object) {
  pin(object);
  if (spatial()) return;
  const move = {};
  ["xaxis", "yaxis"].forEach((side, number) => {
    const [low, high] = map._fullLayout[side].range, at = contents.positions[number][object];
    if (at < low || at > high)
      move[`${side}.range`] = [at - (high - low) / 2, at + (high - low) / 2];
  });
  if (Object.keys(move).length) await Plotly.relayout(map, move);
}

// ---- search ----

function matching(words) {
  const wanted = words.trim().toLowerCase(), begin = [], hold = [];
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
  const list = element("matches"), words = element("search").value, found = matching(words);
  list.replaceChildren();
  for (const object of found) {
    const button = make("button", contents.names[object], make("li", "", list));
    button.onclick = () => choose(object);
  }
  if (words.trim() && !found.length) make("em", "no object of that name", make("li", "", list));
  list.querySelector("button")?.classList.add("active");
}

function choose(object) {
  element("search").value = contents.names[object];
  element("matches").replaceChildren();
  return visit(object);
}

function steer(event) {
  const buttons = [...element("matches").querySelectorAll("button")];
  const at = buttons.findIndex((button) => button.classList.contains("active"));
  if (event.key === "Enter" && at >= 0) buttons[at].click();
  if (event.key === "Escape") { element("matches").replaceChildren(); pin(null); }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !buttons.length) return;
  event.preventDefault();
  buttons[at].classList.remove("active");
  buttons[(at + step + buttons.length) % buttons.length].classList.add("active");
}

// ---- start ----

function listColumns() {
  element("coloring").hidden = !contents.columns.length;
  const select = element("color");
  make("option", "none", select).value = -1;
  contents.columns.forEach(({ name }, number) => { make("option", name, select).value = number; });
  select.value = shown;
  select.onchange = () => { shown = Number(select.value); draw(); };
}

function listen() {
  const object = (event) => event.points[0].customdata;
  map.on("plotly_hover", (event) => { if (!pinned) focus(object(event)); });
  map.on("plotly_unhover", () => { if (!pinned) focus(null); });
  map.on("plotly_click", (event) => {
    const clicked = object(event);
    if (pinned && clicked === focused) pin(null); else pin(clicked);
  });
  map.on("plotly_relayout", (change) => {
    if (Object.keys(change).some((key) => key.includes("axis") || key === "autosize")) write();
  });
  map.on("plotly_relayouting", write);
  map.on("plotly_restyle", write);
  element("search").oninput = listMatches;
  element("search").onkeydown = steer;
}

async function start() {
  if (!window.DecompressionStream) {
    map.textContent = "This page needs a browser of 2023 or later.";
    return;
  }
  contents = JSON.parse(await unpack("contents"));
  contents.folded = contents.names.map((name) => name.toLowerCase());
  make("script", await unpack("plotly"), document.head);
  ruler.font = getComputedStyle(element("names")).font;
  shown = contents.shown;
  listColumns();
  await draw();
  listen();
  document.body.dataset.ready = "yes";
}

start();
