"use strict";

// Draw a scene on a canvas, for the screen and for the picture that is saved.
const CROWD = 5000; // from here on points are set pixel by pixel, quicker than a call for each
const MOST_EDGES_MOVING = 5000;
const LABEL = { height: 13, gap: 7, most: 250, mostInCrowd: 60, tried: 2000, cell: 6 };
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

const endsOf = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

class Painter {
  constructor(contents, view) {
    Object.assign(this, { contents, view, widths: new Map(), sprites: new Map() });
    this.size = view.n > 200_000 ? 2 : contents.size;
    this.pictures = contents.images.map((address) => {
      if (!address) return null;
      const image = new Image();
      image.src = address;
      return image;
    });
  }

  // scene: column, hidden (set of looks), selected (set), focused, near, regions, pictures, moving, settled, lasso, palette
  paint(context, scene, density) {
    Object.assign(this, { context, scene, density });
    if (scene.settled && this.ground && !(scene.regions && this.contents.regions.length)) context.putImageData(this.ground, 0, 0);
    else this.paintGround();
    if (this.view.n >= CROWD) this.frame(); // over the pixels, which cover what they lie on
    this.rings();
    return this.names();
  }

  // All but what changes as one points at objects.
  paintGround() {
    const { context, scene, density, view } = this, { palette } = scene;
    this.ground = null;
    this.dress();
    view.project();
    context.setTransform(density, 0, 0, density, 0, 0);
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, view.width, view.height);
    if (view.n < CROWD) this.frame();
    this.lines(this.contents.edges, palette.faint, scene.moving ? MOST_EDGES_MOVING : Infinity);
    if (scene.regions) this.regions();
    this.spokes();
    if (view.n < CROWD) this.points(); else this.crowd();
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
    const faint = flat ? Math.min(0.16, Math.max(0.03, 4 / view.n)) : 0.5; // many overlap: they must not add up to black
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

  spriteOf(number) {
    const look = this.look.looks[number], key = `${look.color} ${look.symbol} ${this.density}`;
    if (!this.sprites.has(key)) this.sprites.set(key, sprite(look, this.size, this.density));
    return this.sprites.get(key);
  }

  points() {
    const { context, view, density, look } = this, order = view.order();
    for (let at = 0; at < view.n; at++) {
      const object = order ? order[at] : at;
      if (!this.visible(object)) continue;
      const { canvas, side } = this.spriteOf(look.of[object]), half = side / density / 2;
      context.globalAlpha = this.opacity(object);
      context.drawImage(canvas, view.left[object] - half, view.top[object] - half, 2 * half, 2 * half);
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
    const { canvas, side } = this.spriteOf(number), ink = canvas.getContext("2d").getImageData(0, 0, side, side).data;
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

  // Those who matter first; then as many as there is room for. Returns what was written, and where.
  names() {
    const { context, view, contents, scene } = this, written = [];
    const claim = this.claims();
    const centers = new Set(contents.spokes.map(({ from }) => from));
    const special = new Set([scene.focused, ...centers, ...contents.spokes.flatMap(({ full }) => full)]);
    special.delete(null);
    const seen = this.inSight();
    const drawn = scene.pictures ? this.drawPictures(seen, claim) : new Map();
    const crowded = view.n >= CROWD, most = crowded ? LABEL.mostInCrowd : LABEL.most;
    if (!crowded) for (const object of seen) claim.mark(view.left[object], view.top[object]);
    Object.assign(context, { textBaseline: "middle", lineJoin: "round", lineWidth: 3, strokeStyle: scene.palette.paper });
    const write = (object, forced) => {
      const text = (contents.labels ?? contents.names)[object];
      context.font = `${forced ? "600 " : ""}11px ${scene.palette.font}`;
      const width = this.widthOf(text, context), [across, down] = [view.left[object], view.top[object]];
      // a cell further than the picture reaches, or the picture's last cell would be in the way
      const [wide, high] = (drawn.get(object) ?? [0, 0]).map((side) => side ? side / 2 + LABEL.cell : LABEL.gap);
      const middle = across - width / 2, step = high + LABEL.height / 2;
      const places = [[across + wide, down], [across - wide - width, down], [middle, down + step], [middle, down - step]];
      const place = places.find(([left, top]) => claim.take(left, left + width, top)) ?? (forced ? places[0] : null);
      if (place === null) return;
      const [left, top] = place;
      context.globalAlpha = scene.selected.size && !scene.selected.has(object) && !forced ? 0.35 : 1;
      if (!scene.moving) context.strokeText(text, left, top);
      context.fillStyle = scene.palette.ink;
      context.fillText(text, left, top);
      written.push({ object, text, left, top, width });
    };
    for (const object of special) if (this.visible(object)) write(object, object === scene.focused || centers.has(object));
    const step = Math.max(1, seen.length / LABEL.tried);
    for (let at = 0; at < seen.length && written.length < most; at += step) {
      const object = seen[Math.floor(at)];
      if (!special.has(object)) write(object, false);
    }
    context.globalAlpha = 1;
    return written;
  }

  inSight() {
    const { view } = this, seen = new Uint32Array(view.n);
    let count = 0;
    for (let object = 0; object < view.n; object++) if (view.shows(object) && this.visible(object)) seen[count++] = object;
    return seen.subarray(0, count);
  }

  widthOf(text, context) {
    const key = context.font[0] + text;
    if (!this.widths.has(key)) this.widths.set(key, context.measureText(text).width);
    return this.widths.get(key);
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
  legend(column, right) {
    if (!column) return;
    const { context, scene } = this, { looks } = this.look;
    Object.assign(context, { font: `12px ${scene.palette.font}`, textBaseline: "middle", fillStyle: scene.palette.ink });
    const texts = column.classes ?? endsOf(column.values).reverse().map(readable);
    const left = right - Math.max(...texts.map((text) => context.measureText(text).width));
    if (!column.classes) {
      const fade = context.createLinearGradient(0, 152, 0, 12);
      looks.forEach(({ color }, number) => fade.addColorStop(number / (looks.length - 1), color));
      context.fillStyle = fade;
      context.fillRect(left - 20, 12, 14, 140);
      context.fillStyle = scene.palette.ink;
      texts.forEach((text, number) => context.fillText(text, left, number ? 146 : 18));
      return;
    }
    if (texts.length > MOST_LISTED) return;
    texts.forEach((text, number) => {
      if (scene.hidden.has(number)) return;
      const { canvas, side } = sprite(looks[number], 9, this.density), half = side / this.density / 2;
      context.drawImage(canvas, left - 12 - half, 18 + 18 * number - half, 2 * half, 2 * half);
      context.fillText(text, left, 18 + 18 * number);
    });
  }
}

const MOST_LISTED = 60;
const readable = (value) => String(Number(value.toPrecision(5)));
