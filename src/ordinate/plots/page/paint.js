"use strict";

// Draw a scene on a canvas, for the screen and for the picture that is saved.
const CROWD = 5000; // from here on points are set pixel by pixel, quicker than a call for each
const MOST_EDGES_MOVING = 5000;
const LABEL = { height: 13, gap: 7, most: 250, mostInCrowd: 60, tried: 2000, cell: 6 };
// So many objects in sight are named one by one; of more, their classes are. Numbers say less than names.
const NAMED = 1000, NUMBERED = 100;
const MOST_CLASS_NAMES = 200;
const STEPS = 64; // colours of a scale of numbers
const PICTURE = 40;
const FADED = 0.25; // of what is not selected

const SYMBOLS = {
  circle: (path, r) => path.arc(0, 0, r, 0, 7),
  square: (path, r) => path.rect(-0.88 * r, -0.88 * r, 1.76 * r, 1.76 * r),
  "triangle-up": (path, r) => polygon(path, [[0, -1.2 * r], [1.1 * r, 0.8 * r], [-1.1 * r, 0.8 * r]]),
  "triangle-down": (path, r) => polygon(path, [[0, 1.2 * r], [1.1 * r, -0.8 * r], [-1.1 * r, -0.8 * r]]),
  diamond: (path, r) => polygon(path, [[0, -1.3 * r], [1.1 * r, 0], [0, 1.3 * r], [-1.1 * r, 0]]),
  cross: (path, r) => bars(path, r, 0),
  x: (path, r) => bars(path, r, Math.PI / 4),
};

function polygon(path, corners) {
  corners.forEach((corner, number) => (number ? path.lineTo(...corner) : path.moveTo(...corner)));
  path.closePath();
}

function bars(path, r, turn) {
  const [long, thin] = [1.25 * r, 0.42 * r];
  const corners = [[thin, -long], [thin, -thin], [long, -thin], [long, thin], [thin, thin], [thin, long],
                   [-thin, long], [-thin, thin], [-long, thin], [-long, -thin], [-thin, -thin], [-thin, -long]];
  polygon(path, corners.map(([x, y]) => [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]));
}

// A small picture of one look, to be copied to each object.
function sprite({ color, symbol }, size, density) {
  const side = Math.ceil((1.3 * size + 1) * density), canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.translate(side / 2, side / 2);
  context.scale(density, density);
  context.beginPath();
  SYMBOLS[symbol](context, size / 2);
  context.fillStyle = color;
  context.fill();
  return { canvas, side };
}

function mixed(stops, share) {
  const at = Math.min(stops.length - 2, Math.floor(share * (stops.length - 1))), part = share * (stops.length - 1) - at;
  const channel = (color, number) => parseInt(color.slice(1 + 2 * number, 3 + 2 * number), 16);
  return "#" + [0, 1, 2].map((number) =>
    Math.round((1 - part) * channel(stops[at], number) + part * channel(stops[at + 1], number)).toString(16).padStart(2, "0")).join("");
}

// What the objects look like when a column colours them: looks, and which one each object has.
// Colours are lighter on dark paper.
function looksOf(contents, column, { lighter }) {
  const shown = (color) => mixed([color, "#ffffff"], Number(lighter));
  const looks = contents.looks.map(({ color, symbol }) => ({ color: shown(color), symbol }));
  if (!column) return { looks: [looks[0]], of: new Uint16Array(contents.names.length) };
  if (column.classes) return { looks: column.classes.map((_, number) => looks[number % looks.length]), of: Uint16Array.from(column.codes) };
  const [low, high] = endsOf(column.values);
  const scale = Array.from({ length: STEPS }, (_, step) => ({ color: shown(mixed(contents.scale, step / (STEPS - 1))), symbol: "circle" }));
  return { looks: scale, of: Uint16Array.from(column.values, (value) => Math.round((STEPS - 1) * (value - low) / (high - low || 1))) };
}

class Painter {
  constructor(contents, view) {
    Object.assign(this, { contents, view, widths: new Map(), sprites: new Map(), centers: new Map() });
    this.size = view.n > 200_000 ? 2 : contents.size;
    this.regionShade = shadeOf(contents.regions, view);
    this.pictures = contents.images.map((address) => {
      if (!address) return null;
      const image = new Image();
      image.src = address;
      return image;
    });
  }

  // scene: column, hidden (set of looks), selected (set), focused, near, found, regions, pictures, moving, settled, lasso, palette
  paint(context, scene, density) {
    Object.assign(this, { context, scene, density });
    if (scene.settled && this.ground && !(scene.regions && this.contents.regions.length)) context.putImageData(this.ground, 0, 0);
    else this.paintGround();
    if (this.asPixels) this.frame(); // over the pixels, which cover what they lie on
    this.rings();
    return this.names();
  }

  get asPixels() { return this.view.n >= CROWD && !this.context.symbol; }

  // All but what changes as one points at objects.
  paintGround() {
    const { context, scene, density, view } = this, { palette } = scene;
    this.ground = null;
    this.dress();
    view.project();
    context.setTransform(density, 0, 0, density, 0, 0);
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, view.width, view.height);
    if (!this.asPixels) this.frame();
    this.lines(this.contents.edges, palette.faint, scene.moving ? MOST_EDGES_MOVING : Infinity);
    if (scene.regions) this.regions();
    this.spokes();
    if (this.asPixels) this.crowd(); else this.points();
  }

  // Looks change with the column and the paper, not with every frame.
  dress() {
    const { column, palette } = this.scene;
    if (this.worn?.column === column && this.worn.lighter === palette.lighter) return;
    this.worn = { column, lighter: palette.lighter };
    this.stamps = new Map();
    this.look = looksOf(this.contents, column, palette);
  }

  visible(object) { return !this.scene.hidden.has(this.look.of[object]); }

  // The axes' names where they mean something; a box around a map in space, to see how it is turned.
  frame() {
    const { context, view, contents, scene } = this;
    context.fillStyle = scene.palette.quiet;
    context.font = `12px ${scene.palette.font}`;
    const [across, up] = contents.axis_names;
    context.textAlign = "center";
    if (across) context.fillText(across, view.width / 2, view.height - 8);
    if (up) {
      context.save();
      context.translate(14, view.height / 2);
      context.rotate(-Math.PI / 2);
      context.fillText(up, 0, 0);
      context.restore();
    }
    context.textAlign = "left";
    if (!view.spatial) return;
    const place = view.placer(), corner = (bits) => place(view.center.map((at, axis) => at + (bits >> axis & 1 ? 1 : -1) * view.half[axis]));
    context.beginPath();
    for (let bits = 0; bits < 8; bits++)
      for (const flip of [1, 2, 4])
        if (!(bits & flip)) {
          context.moveTo(...corner(bits));
          context.lineTo(...corner(bits | flip));
        }
    context.strokeStyle = scene.palette.faint;
    context.lineWidth = 1;
    context.stroke();
  }

  lines(pairs, color, most) {
    if (!pairs.length || pairs.length > most) return;
    const { context, view } = this;
    context.beginPath();
    for (const [from, to] of pairs) {
      if (!this.visible(from) || !this.visible(to)) continue;
      context.moveTo(view.left[from], view.top[from]);
      context.lineTo(view.left[to], view.top[to]);
    }
    context.strokeStyle = color;
    context.lineWidth = 1;
    context.stroke();
  }

  regions() {
    const { context, view, contents, scene } = this, place = view.placer(), flat = !view.spatial && !contents.ordered;
    const each = contents.regions.length / view.n; // in space an ellipsoid is three lines
    const faint = flat ? this.regionShade : 0.5;
    context.fillStyle = context.strokeStyle = scene.palette.quiet;
    context.lineWidth = 1;
    contents.regions.forEach((outline, number) => {
      const object = Math.floor(number / each);
      if (!this.visible(object)) return;
      context.globalAlpha = object === scene.focused ? Math.max(faint, 0.35) : faint;
      context.beginPath();
      outline.forEach((corner, at) => (at ? context.lineTo(...place(corner)) : context.moveTo(...place(corner))));
      if (flat) context.fill(); else context.stroke();
    });
    context.globalAlpha = 1;
  }

  // From chosen objects to others: full lines to those liked, dotted ones to the rest.
  spokes() {
    const { context, view, contents } = this;
    contents.spokes.forEach(({ from, full, dotted, color }) => {
      context.strokeStyle = color;
      for (const [ends, dash, width] of [[dotted, [2, 4], 1], [full, [], 1.5]]) {
        context.setLineDash(dash);
        context.lineWidth = width;
        context.beginPath();
        for (const to of ends) {
          context.moveTo(view.left[from], view.top[from]);
          context.lineTo(view.left[to], view.top[to]);
        }
        context.stroke();
      }
      context.setLineDash([]);
    });
  }

  opacity(object) {
    return this.contents.opacity * (this.scene.selected.size && !this.scene.selected.has(object) ? FADED : 1);
  }

  spriteOf(look, size) {
    const key = `${look.color} ${look.symbol} ${size} ${this.density}`;
    if (!this.sprites.has(key)) this.sprites.set(key, sprite(look, size, this.density));
    return this.sprites.get(key);
  }

  symbol(look, size, left, top) {
    if (this.context.symbol) return this.context.symbol(look, size, left, top);
    const { canvas, side } = this.spriteOf(look, size), half = side / this.density / 2;
    return this.context.drawImage(canvas, left - half, top - half, 2 * half, 2 * half);
  }

  points() {
    const { context, view, look } = this, order = view.order();
    for (let at = 0; at < view.n; at++) {
      const object = order ? order[at] : at;
      if (!this.visible(object)) continue;
      context.globalAlpha = this.opacity(object);
      this.symbol(look.looks[look.of[object]], this.size, view.left[object], view.top[object]);
    }
    context.globalAlpha = 1;
  }

  // The pixels that one look inks, as steps from its first corner, and how much of each.
  stamp(number, width, opacity) {
    if (this.scene.hidden.has(number)) return null;
    const key = `${number} ${width} ${opacity} ${this.density}`;
    if (!this.stamps.has(key)) this.stamps.set(key, this.cutStamp(number, width, opacity));
    return this.stamps.get(key);
  }

  cutStamp(number, width, opacity) {
    const { canvas, side } = this.spriteOf(this.look.looks[number], this.size), ink = canvas.getContext("2d").getImageData(0, 0, side, side).data;
    const inked = Array.from({ length: side * side }, (_, at) => at).filter((at) => ink[4 * at + 3] > 8);
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(this.look.looks[number].color.slice(at, at + 2), 16));
    return { side, odd: red | blue << 16, even: green << 8, steps: Int32Array.from(inked, (at) => Math.floor(at / side) * width + at % side),
             shares: Int32Array.from(inked, (at) => Math.round(ink[4 * at + 3] / 255 * opacity * 256)) };
  }

  // What the crowd stands on: lines that were drawn are read back, which is slow; plain paper is not.
  underneath(width, height) {
    const { context, contents, scene } = this;
    if (contents.edges.length || contents.spokes.length || (scene.regions && contents.regions.length))
      return context.getImageData(0, 0, width, height);
    const pixels = this.paper?.width === width && this.paper.height === height ? this.paper : context.createImageData(width, height);
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(scene.palette.paper.slice(at, at + 2), 16));
    new Uint32Array(pixels.data.buffer).fill(0xff000000 | blue << 16 | green << 8 | red);
    return (this.paper = pixels);
  }

  // Pixels are mixed as whole numbers, red and blue in one go: a hundred thousand objects in a frame.
  crowd() {
    const { context, view, density, look, scene } = this, { left, top, n } = view, order = view.order(), selecting = scene.selected.size > 0;
    const { width, height } = context.canvas, pixels = this.underneath(width, height), shade = new Uint32Array(pixels.data.buffer);
    const stamps = look.looks.map((_, number) => this.stamp(number, width, this.contents.opacity));
    const faint = selecting && look.looks.map((_, number) => this.stamp(number, width, FADED * this.contents.opacity));
    for (let at = 0; at < n; at++) {
      const object = order ? order[at] : at, stamp = (selecting && !scene.selected.has(object) ? faint : stamps)[look.of[object]];
      if (!stamp) continue;
      const { side, steps, shares, odd, even } = stamp;
      const x = Math.round(left[object] * density - side / 2), y = Math.round(top[object] * density - side / 2);
      if (x < 0 || y < 0 || x + side > width || y + side > height) continue;
      for (let step = 0, from = y * width + x; step < steps.length; step++) {
        const to = from + steps[step], share = shares[step], before = shade[to];
        const ends = before & 0xff00ff, middle = before & 0xff00;
        shade[to] = 0xff000000 | (ends + (Math.imul(odd - ends, share) >> 8)) & 0xff00ff | (middle + (Math.imul(even - middle, share) >> 8)) & 0xff00;
      }
    }
    context.putImageData(pixels, 0, 0);
    this.ground = pixels;
  }

  rings() {
    const { context, view, scene, contents } = this;
    const ring = (object, radius, color, width) => {
      context.beginPath();
      context.arc(view.left[object], view.top[object], radius, 0, 7);
      Object.assign(context, { strokeStyle: color, lineWidth: width });
      context.stroke();
    };
    for (const { from, color } of contents.spokes) ring(from, 8, color, 3);
    for (const object of scene.found) ring(object, 8, scene.palette.mark, 2);
    if (scene.focused !== null) {
      for (const object of scene.near) ring(object, 8, scene.palette.quiet, 2);
      ring(scene.focused, 11, scene.palette.mark, 2.5);
    }
    if (!scene.lasso) return;
    context.beginPath();
    polygon(context, scene.lasso);
    Object.assign(context, { strokeStyle: scene.palette.mark, lineWidth: 1.5 });
    context.stroke();
  }

  // Names of those who matter first, then of as many as there is room for. Returns what was written, and where.
  names() {
    const { view, contents, scene } = this, seen = this.inSight(), claim = this.claims();
    const sources = contents.spokes.map(({ from }) => from), forced = new Set([scene.focused, ...sources]);
    const special = new Set([...forced, ...scene.found, ...contents.spokes.flatMap(({ full }) => full), ...scene.selected]);
    special.delete(null);
    const drawn = scene.pictures ? this.drawPictures(seen, claim) : new Map();
    Object.assign(this.context, { textBaseline: "middle", lineJoin: "round", lineWidth: 3, strokeStyle: scene.palette.paper });
    const named = (object) => ({ object, ...this.writeName(object, claim, drawn.get(object), forced.has(object)) });
    const few = seen.length <= (contents.numbered ? NUMBERED : NAMED), most = few ? LABEL.most : LABEL.mostInCrowd;
    const keepOff = () => { for (const object of seen) claim.mark(view.left[object], view.top[object]); };
    const classes = few ? [] : this.writeClasses(claim);
    if (few) keepOff();
    const written = take(most, special, (object) => (this.visible(object) ? named(object) : {}));
    if (!few && seen.length < CROWD) keepOff(); // what matters may cover some of many objects
    if (few || !(contents.numbered || classes.length)) {
      const step = Math.max(1, seen.length / LABEL.tried), rest = Array.from({ length: Math.floor(seen.length / step) }, (_, at) => seen[Math.floor(at * step)]);
      written.push(...take(most - written.length, rest, (object) => (special.has(object) ? {} : named(object))));
    }
    this.context.globalAlpha = 1;
    return [...written, ...classes];
  }

  writeName(object, claim, picture, forced) {
    const { context, view, contents, scene } = this, text = (contents.labels ?? contents.names)[object];
    context.font = `${forced ? "600 " : ""}11px ${scene.palette.font}`;
    const width = this.widthOf(text), [across, down] = [view.left[object], view.top[object]];
    // a cell further than the picture reaches, or the picture's last cell would be in the way
    const [wide, high] = (picture ?? [0, 0]).map((side) => side ? side / 2 + LABEL.cell : LABEL.gap);
    const sides = [across + wide, across - wide - width], middle = across - width / 2, step = high + LABEL.height / 2;
    const rows = [down + step, down - step];
    const beside = sides.map((left) => [left, down]), level = rows.map((top) => [middle, top]);
    const corners = rows.flatMap((top) => sides.map((left) => [left, top]));
    const place = [...beside, ...level, ...corners].find(([left, top]) => claim.take(left, left + width, top)) ?? (forced ? beside[0] : null);
    if (place === null) return {};
    context.globalAlpha = scene.selected.size && !scene.selected.has(object) && !forced ? 0.35 : 1;
    return this.write(text, width, ...place);
  }

  // Each class in the middle of the place where it is densest.
  writeClasses(claim) {
    const { context, scene, view } = this, { column } = scene;
    if (!column?.classes || column.classes.length < 2 || column.classes.length > MOST_CLASS_NAMES) return [];
    if (!this.centers.has(column)) this.centers.set(column, densest(view, column));
    const place = view.placer();
    context.font = `600 13px ${scene.palette.font}`;
    context.globalAlpha = 1;
    return column.classes.flatMap((text, code) => {
      if (scene.hidden.has(code)) return [];
      const [across, down] = place(this.centers.get(column)[code]), width = this.widthOf(text), left = across - width / 2;
      const top = [0, 1, -1, 2, -2].map((rows) => down + rows * LABEL.height).find((top) => claim.take(left, left + width, top));
      return top === undefined ? [] : [{ class: text, ...this.write(text, width, left, top) }];
    });
  }

  write(text, width, left, top) {
    const { context, scene } = this;
    if (!scene.moving) context.strokeText(text, left, top);
    context.fillStyle = scene.palette.ink;
    context.fillText(text, left, top);
    return { text, left, top, width };
  }

  inSight() {
    const { view } = this, seen = new Uint32Array(view.n);
    let count = 0;
    for (let object = 0; object < view.n; object++) if (view.shows(object) && this.visible(object)) seen[count++] = object;
    return seen.subarray(0, count);
  }

  widthOf(text) {
    const key = this.context.font + text;
    if (!this.widths.has(key)) this.widths.set(key, this.context.measureText(text).width);
    return this.widths.get(key);
  }

  // Half of the widest name: it can then stand above or below the outermost object.
  roomForNames(context, font) {
    const names = this.contents.labels ?? this.contents.names;
    if (names.length > (this.contents.numbered ? NUMBERED : NAMED)) return 0;
    context.font = `11px ${font}`;
    return Math.max(...names.map((name) => context.measureText(name).width)) / 2 + LABEL.cell;
  }

  // Return how wide and high those pictures are that there is room for.
  drawPictures(seen, claim) {
    const drawn = new Map();
    for (const object of seen) {
      const image = this.pictures[object], { left, top } = this.view;
      if (!image?.complete || !image.naturalWidth) continue;
      const scale = PICTURE / Math.max(image.naturalWidth, image.naturalHeight);
      const [wide, high] = [scale * image.naturalWidth, scale * image.naturalHeight];
      if (!claim.take(left[object] - wide / 2, left[object] + wide / 2, top[object], high)) continue;
      this.context.drawImage(image, left[object] - wide / 2, top[object] - high / 2, wide, high);
      drawn.set(object, [wide, high]);
    }
    return drawn;
  }

  // A grid of cells, each taken by one name, picture or point.
  claims() {
    const { view } = this, { cell } = LABEL, columns = Math.ceil(view.width / cell), rows = Math.ceil(view.height / cell);
    const taken = new Uint8Array(columns * rows);
    return {
      mark: (left, top) => { taken[Math.floor(top / cell) * columns + Math.floor(left / cell)] = 1; },
      take: (left, right, middle, height = LABEL.height) => {
        const [first, last] = [Math.floor(left / cell), Math.floor(right / cell)];
        const [high, low] = [Math.floor((middle - height / 2) / cell), Math.floor((middle + height / 2) / cell)];
        if (first < 0 || high < 0 || last >= columns || low >= rows) return false;
        for (let row = high; row <= low; row++)
          for (let at = row * columns + first; at <= row * columns + last; at++) if (taken[at]) return false;
        for (let row = high; row <= low; row++) taken.fill(1, row * columns + first, row * columns + last + 1);
        return true;
      },
    };
  }

  // The legend, which on the page is made of buttons, for the picture that is saved.
  legend(context, palette) {
    const { column, hidden } = this.scene, { looks } = this.look, left = this.view.width + 32;
    Object.assign(this, { context });
    Object.assign(context, { textBaseline: "middle", fillStyle: palette.ink, font: `600 12px ${palette.font}` });
    context.fillText(column.name, left - 20, 18);
    context.font = `12px ${palette.font}`;
    if (!column.classes) {
      const fade = context.createLinearGradient(0, 176, 0, 36);
      looks.forEach(({ color }, number) => fade.addColorStop(number / (looks.length - 1), color));
      context.fillStyle = fade;
      context.fillRect(left - 20, 36, 14, 140);
      context.fillStyle = palette.ink;
      legendTexts(column).forEach((text, number) => context.fillText(text, left, number ? 170 : 42));
      return;
    }
    legendTexts(column).forEach((text, number) => {
      if (hidden.has(number)) return;
      this.symbol(looks[number], 9, left - 13, 42 + 18 * number);
      context.fillText(text, left, 42 + 18 * number);
    });
  }

  // How wide and high the legend is; nothing if there is none.
  legendSize(context, palette) {
    const { column } = this.scene;
    if (!isListed(column)) return [0, 0];
    const texts = legendTexts(column);
    context.font = `600 12px ${palette.font}`;
    const widest = Math.max(...[column.name, ...texts].map((text) => context.measureText(text).width));
    return [widest + 44, column.classes ? 54 + 18 * texts.length : 190];
  }
}

const MOST_LISTED = 60;
const readable = (value) => String(Number(value.toPrecision(5)));
const isListed = (column) => column !== null && (!column.classes || (column.classes.length > 1 && column.classes.length <= MOST_LISTED));
const legendTexts = ({ classes, values }) => classes ?? endsOf(values).reverse().map((end) => String(Number(end.toPrecision(3))));

// Collect what is written, until there is enough.
function take(most, objects, write) {
  const written = [];
  for (const object of objects) {
    if (written.length >= most) break;
    const done = write(object);
    if (done.text !== undefined) written.push(done);
  }
  return written;
}

// The more regions lie over each other, the fainter each is, or they would add up to black.
function shadeOf(regions, { half, spatial, ordered }) {
  if (spatial || ordered || !regions.length) return 0;
  const area = (outline) => Math.abs(outline.reduce((sum, [x, y], at) => {
    const [a, b] = outline[(at + 1) % outline.length];
    return sum + (x * b - a * y) / 2;
  }, 0));
  const deep = regions.reduce((sum, outline) => sum + area(outline), 0) / (4 * half[0] * half[1]);
  return Math.min(0.18, Math.max(0.03, 0.2 / deep));
}

// Where each class is densest: from the fullest cell of a grid, a few steps to the mean of what is near.
function densest({ axes, half, center, n }, { classes, codes }) {
  const cells = 24, counts = classes.map(() => new Map()), reach = Math.max(...half) / 4;
  const at = (object) => axes.map((axis) => axis[object]);
  const cell = (object) => axes.reduce((key, axis, number) => {
    const step = Math.floor(cells * (axis[object] - center[number] + half[number]) / (2 * half[number]));
    return key * cells + Math.min(cells - 1, step);
  }, 0);
  const best = classes.map(() => ({ count: 0, place: center }));
  for (let object = 0; object < n; object++) {
    const code = codes[object], key = cell(object), count = (counts[code].get(key) ?? 0) + 1;
    counts[code].set(key, count);
    if (count > best[code].count) best[code] = { count, place: at(object) };
  }
  let places = best.map(({ place }) => place);
  for (let round = 0; round < 5; round++) {
    const sums = classes.map(() => [...axes.map(() => 0), 0]);
    for (let object = 0; object < n; object++) {
      const place = places[codes[object]], sum = sums[codes[object]];
      let distance = 0;
      for (let axis = 0; axis < axes.length; axis++) distance += (axes[axis][object] - place[axis]) ** 2;
      if (distance > reach * reach) continue;
      for (let axis = 0; axis < axes.length; axis++) sum[axis] += axes[axis][object];
      sum[axes.length]++;
    }
    places = places.map((place, code) => (sums[code].at(-1) ? place.map((_, axis) => sums[code][axis] / sums[code].at(-1)) : place));
  }
  return places;
}
