"use strict";

// As much of a canvas's context as a Painter asks for, written as SVG instead of pixels.
class SvgContext {
  constructor(width, height) {
    Object.assign(this, { width, height, fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, lineJoin: "miter", globalAlpha: 1,
                          textAlign: "left", textBaseline: "alphabetic", dash: [], turns: [], kept: [], shared: [], symbols: new Map(), body: [] });
    this.measure = document.createElement("canvas").getContext("2d");
  }

  set font(font) { this.measure.font = font; }
  get font() { return this.measure.font; }
  measureText(text) { return this.measure.measureText(text); }

  save() { this.kept.push(this.turns); }
  restore() { this.turns = this.kept.pop(); }
  translate(across, down) { this.turns = [...this.turns, `translate(${short(across)} ${short(down)})`]; }
  rotate(angle) { this.turns = [...this.turns, `rotate(${short(angle * 180 / Math.PI)})`]; }
  setTransform() {} // pixels per unit: a drawing has none
  setLineDash(dash) { this.dash = dash; }

  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }
  lineTo(x, y) { this.path += `L${short(x)} ${short(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, width, height) { this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`; }
  arc(x, y, r) { // always a whole circle
    this.path += `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`;
  }

  fill() { this.add("path", { d: this.path, fill: this.fillStyle }); }
  stroke() { this.add("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash.join(" ") }); }
  fillRect(x, y, width, height) { this.add("rect", { x: short(x), y: short(y), width: short(width), height: short(height), fill: this.fillStyle }); }
  drawImage({ src }, x, y, width, height) { this.add("image", { x: short(x), y: short(y), width: short(width), height: short(height), href: src }); }
  fillText(text, x, y) { this.write(text, x, y, { fill: this.fillStyle }); }
  strokeText(text, x, y) {
    this.write(text, x, y, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin });
  }

  write(text, x, y, look) {
    const [, weight, size, family] = this.font.match(/^(?:(\w+) )?([\d.]+)px (.*)$/);
    const down = this.textBaseline === "middle" ? 0.35 * size : 0; // programs do not agree on other baselines
    const anchor = this.textAlign === "center" ? "middle" : "";
    this.add("text", { x: short(x), y: short(y + down), "font-size": size, "font-weight": weight, "font-family": family, "text-anchor": anchor, ...look }, text);
  }

  // One of many alike: drawn once, and used wherever it stands.
  symbol({ color, symbol }, size, left, top) {
    const key = `${color} ${symbol} ${size}`;
    if (!this.symbols.has(key)) {
      this.beginPath();
      SYMBOLS[symbol](this, size / 2);
      this.symbols.set(key, `look${this.symbols.size}`);
      this.shared.push(`<path id="${this.symbols.get(key)}" d="${this.path}" fill="${color}"/>`);
    }
    this.add("use", { href: `#${this.symbols.get(key)}`, x: short(left), y: short(top) });
  }

  createLinearGradient(x1, y1, x2, y2) {
    const id = `scale${this.shared.length}`, stops = [];
    this.shared.push({ toString: () => `<linearGradient id="${id}" gradientUnits="userSpaceOnUse"${attributes({ x1, y1, x2, y2 })}>${stops.join("")}</linearGradient>` });
    return { addColorStop: (offset, color) => stops.push(`<stop offset="${short(offset)}" stop-color="${color}"/>`), toString: () => `url(#${id})` };
  }

  add(tag, given, text) {
    const all = { ...given, opacity: this.globalAlpha === 1 ? "" : short(this.globalAlpha), transform: this.turns.join(" ") };
    this.body.push(`<${tag}${attributes(all)}${text === undefined ? "/>" : `>${escaped(text)}</${tag}>`}`);
  }

  toString() {
    const { width, height } = this;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${short(width)}" height="${short(height)}" viewBox="0 0 ${short(width)} ${short(height)}">\n`
      + `<defs>${this.shared.join("")}</defs>\n${this.body.join("\n")}\n</svg>\n`;
  }
}

const short = (number) => String(Number(number.toFixed(2)));
const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
const attributes = (all) =>
  Object.entries(all).filter(([, value]) => value !== "" && value !== undefined).map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
