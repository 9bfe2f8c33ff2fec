"use strict";

const MARGIN = 28; // pixels around everything; a name above the topmost object fits in
const WIDEST_MARGIN = 0.1; // of the map's width or height
const endsOf = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

// Where objects are: coordinates in, places on the screen out.
class View {
  constructor({ positions, ordered, regions }) {
    this.axes = positions.map((axis) => Float32Array.from(axis));
    this.n = this.axes[0].length;
    this.spatial = this.axes.length === 3;
    this.ordered = ordered;
    // regions of uncertain objects may reach beyond the screen, or they would make the map small
    const corners = ordered ? regions.flat() : [];
    const ends = this.axes.map((axis, number) => corners.reduce(
      ([low, high], corner) => [Math.min(low, corner[number]), Math.max(high, corner[number])], endsOf(axis)));
    this.center = ends.map(([low, high]) => (low + high) / 2);
    this.half = ends.map(([low, high]) => (high - low) / 2 || 0.5);
    this.left = new Float32Array(this.n);
    this.top = new Float32Array(this.n);
    this.depth = this.spatial ? new Float32Array(this.n) : null;
    this.width = this.height = 1;
    this.margin = [MARGIN, MARGIN];
  }

  // Show everything, from the side that one sees first, with room for names around it.
  fit() {
    this.yaw = 0.7;
    this.pitch = 0.35;
    this.pan = [0, 0];
    const radius = Math.hypot(...this.half);
    const [wide, high] = this.spatial ? [radius, radius] : this.half;
    const inner = (side, margin) => side / 2 - Math.min(margin, WIDEST_MARGIN * side);
    const room = [inner(this.width, this.margin[0]) / wide, inner(this.height, this.margin[1]) / high];
    this.zoom = this.ordered ? room : Array(2).fill(Math.min(...room));
    this.fitted = true; // until someone moves it
  }

  resize(width, height) {
    const before = Math.min(this.width, this.height);
    [this.width, this.height] = [width, height];
    if (!this.zoom || this.fitted) this.fit();
    else this.zoom = this.zoom.map((zoom) => zoom * Math.min(width, height) / before);
  }

  // Directions to the right, up, and towards the eye.
  get basis() {
    if (!this.spatial) return [[1, 0], [0, 1]];
    const [s, c, t, d] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    return [[-s, c, 0], [-t * c, -t * s, d], [d * c, d * s, t]];
  }

  // Return a function that takes coordinates to a place on the screen.
  placer() {
    const { center, pan, zoom, width, height } = this, [right, up] = this.basis;
    const along = (direction, point) => direction.reduce((sum, part, axis) => sum + part * (point[axis] - center[axis]), 0);
    return (point) => [width / 2 + zoom[0] * (along(right, point) - pan[0]),
                       height / 2 - zoom[1] * (along(up, point) - pan[1])];
  }

  // Find the places of all objects.
  project() {
    const { axes, center, left, top, depth, zoom, pan, width, height } = this, [x, y, z] = axes;
    if (!depth) {
      for (let object = 0; object < this.n; object++) {
        left[object] = width / 2 + zoom[0] * (x[object] - center[0] - pan[0]);
        top[object] = height / 2 - zoom[1] * (y[object] - center[1] - pan[1]);
      }
      return;
    }
    const [right, up, toward] = this.basis;
    for (let object = 0; object < this.n; object++) {
      const [a, b, c] = [x[object] - center[0], y[object] - center[1], z[object] - center[2]];
      left[object] = width / 2 + zoom[0] * (right[0] * a + right[1] * b - pan[0]);
      top[object] = height / 2 - zoom[1] * (up[0] * a + up[1] * b + up[2] * c - pan[1]);
      depth[object] = toward[0] * a + toward[1] * b + toward[2] * c;
    }
  }

  move(across, down) {
    this.fitted = false;
    this.pan = [this.pan[0] - across / this.zoom[0], this.pan[1] + down / this.zoom[1]];
  }

  turn(across, down) {
    this.fitted = false;
    this.yaw -= across / 150;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + down / 150));
  }

  // Zoom so that what is at a place of the screen stays there.
  zoomAt(factor, left, top) {
    const across = left - this.width / 2, down = top - this.height / 2;
    this.move(-across, -down);
    this.zoom = this.zoom.map((zoom) => zoom * factor);
    this.move(across, down);
  }

  shows(object) {
    return this.left[object] >= 0 && this.left[object] <= this.width && this.top[object] >= 0 && this.top[object] <= this.height;
  }

  // Bring an object to the middle if it is out of sight.
  visit(object) {
    this.project();
    if (!this.shows(object)) this.move(this.width / 2 - this.left[object], this.height / 2 - this.top[object]);
  }

  // Return objects from the farthest to the nearest, or null if no one lies behind another.
  order() {
    if (!this.depth) return null;
    const layers = 256, { n, depth } = this, reach = Math.hypot(...this.half), counts = new Uint32Array(layers + 1);
    const layer = new Uint8ClampedArray(n), sorted = new Uint32Array(n), scale = layers / 2 / reach;
    for (let object = 0; object < n; object++) {
      layer[object] = Math.floor((depth[object] + reach) * scale);
      counts[layer[object] + 1]++;
    }
    for (let number = 0; number < layers; number++) counts[number + 1] += counts[number];
    for (let object = 0; object < n; object++) sorted[counts[layer[object]]++] = object;
    return sorted;
  }

  // Return the object within reach of a place, or null.
  nearest(left, top, counts, reach = 12) {
    let best = null, least = reach * reach;
    for (let object = 0; object < this.n; object++) {
      const across = this.left[object] - left, down = this.top[object] - top, distance = across * across + down * down;
      if (distance < least && counts(object)) [best, least] = [object, distance];
    }
    return best;
  }

  // Return the next object in a direction, as the eye would go.
  next(from, across, down, counts) {
    let best = null, least = Infinity;
    for (let object = 0; object < this.n; object++) {
      const dx = this.left[object] - this.left[from], dy = this.top[object] - this.top[from];
      const ahead = dx * across + dy * down, aside = Math.abs(dx * down - dy * across);
      if (object !== from && ahead > 0 && aside <= ahead && ahead + aside < least && counts(object)) [best, least] = [object, ahead + aside];
    }
    return best;
  }

  // Return the objects within a line drawn around them.
  within(outline, counts) {
    const found = [];
    for (let object = 0; object < this.n; object++) {
      const x = this.left[object], y = this.top[object];
      let inside = false;
      for (let here = 0, before = outline.length - 1; here < outline.length; before = here++) {
        const [a, b] = outline[here], [c, d] = outline[before];
        if (b > y !== d > y && x < (c - a) * (y - b) / (d - b) + a) inside = !inside;
      }
      if (inside && counts(object)) found.push(object);
    }
    return found;
  }
}
