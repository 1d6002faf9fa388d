// The neighbourhood of an entity, drawn by vis-network as pyvis describes it. On its canvas stand the predicates; over it an
// invisible button for every node, so that the keyboard and screen readers reach what the mouse does. Words are drawn, or set
// with textContent.

import { element, ready } from "./dom.js";

const STEP = 1.25; // of zooming
const LEAST = { wide: 11, narrow: 10.2, below: 1300 }; // pixels of the smallest letters, unless all is to be seen at once
const SCALE = { least: 0.2, most: 1.06, full: 1.8 };
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const drawn = new WeakMap();
let library = null;

// vis-network comes from this server, which has it from the installed pyvis.
function loaded(path) {
  if (window.vis?.Network) return Promise.resolve();
  library ??= new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = new URL(path, new URL(import.meta.url).href.replace(/_stcore\/.*$/, "")).href;
    made.onload = resolve;
    made.onerror = () => {
      library = null;
      reject(new Error("vis-network did not load"));
    };
    document.head.append(made);
  });
  return library;
}

function inside(box, { x, y }) {
  return Math.abs(box.x - x) * 2 <= box.width && Math.abs(box.y - y) * 2 <= box.height;
}

class Picture {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector(".canvas");
    this.stops = root.querySelector(".stops");
    this.tip = root.querySelector(".tip");
    this.hot = null; // what is pointed at: a stop or a label
    this.chosen = "";
    this.listen();
  }

  show(component) {
    const { data, setStateValue, setTriggerValue } = component;
    this.select = (value) => setStateValue("selected", value);
    this.walk = (name) => setTriggerValue("walk", name);
    const { selected, ...content } = data;
    this.chosen = selected ?? "";
    const written = JSON.stringify(content);
    if (written === this.written) {
      this.network?.redraw();
      return;
    }
    this.written = written;
    this.data = content;
    this.hot = null;
    this.tip.hidden = true;
    this.resize();
    const font = getComputedStyle(this.root).fontFamily;
    this.face = font;
    const nodes = content.nodes.map((node) => ({ ...node, font: { ...node.font, face: font } }));
    this.network?.destroy();
    this.network = new window.vis.Network(this.canvas, { nodes, edges: content.edges }, content.options);
    this.network.on("afterDrawing", (ctx) => {
      this.words(ctx);
      this.place();
    });
    this.buttons();
    this.home();
  }

  // As wide as there is room, as high as it needs; letters stay readable, and what is wider is reached by dragging.
  resize() {
    const { frame } = this.data;
    if (this.full()) {
      this.canvas.style.height = "100%";
      return;
    }
    const width = this.root.clientWidth;
    const least = width < LEAST.below ? LEAST.narrow : LEAST.wide;
    this.scale = Math.max(least / this.data.smallest, Math.min(SCALE.most, width / frame.width));
    this.canvas.style.height = `${Math.max(280, Math.ceil(frame.height * this.scale))}px`;
  }

  full() {
    return this.root.getRootNode().fullscreenElement === this.root || document.fullscreenElement === this.root;
  }

  home() {
    if (this.full()) {
      this.fit();
      return;
    }
    const wide = this.data.frame.width * this.scale > this.root.clientWidth + 2;
    const position = { x: wide ? 0 : this.data.frame.x, y: this.data.frame.y };
    this.network.moveTo({ position, scale: this.scale });
    const rest = wide ? " · wider than the page: drag it, or press Fit or Full screen" : "";
    this.root.querySelector(".tools span").textContent = this.data.label + rest;
  }

  fit() {
    const { frame } = this.data;
    const scale = Math.min(this.canvas.clientWidth / frame.width, this.canvas.clientHeight / frame.height);
    this.network.moveTo({ position: { x: frame.x, y: frame.y }, scale: Math.min(scale, this.full() ? SCALE.full : SCALE.most) });
  }

  zoom(by) {
    const scale = Math.max(SCALE.least, Math.min(4, this.network.getScale() * by));
    this.network.moveTo({ scale });
  }

  // The triples that what is pointed at, or else selected, is about.
  lit() {
    const { labels, stops } = this.data;
    if (this.hot?.edge) return [this.hot];
    const stop = this.hot;
    if (stop?.kind === "entity") return labels.filter((label) => label.ends.includes(stop.id));
    const passage = stop?.passage ?? (this.chosen.startsWith("p") ? stops.find((one) => one.id === this.chosen)?.passage : undefined);
    if (passage !== undefined) return labels.filter((label) => label.passage === passage);
    return labels.filter((label) => label.edge === this.chosen);
  }

  words(ctx) {
    const { labels, badges, colours, smallest } = this.data;
    const lit = new Set(this.lit());
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const label of [...labels.filter((one) => !lit.has(one)), ...lit]) {
      const strong = lit.has(label);
      if (label.x === null && !strong) continue;
      const { x, y } = label.x === null ? label.middle : label;
      ctx.globalAlpha = lit.size && !strong ? 0.45 : 1;
      ctx.fillStyle = colours.under;
      ctx.fillRect(x - label.width / 2, y - 8.5, label.width, 17);
      ctx.font = `${strong ? "600 " : ""}${smallest}px ${this.face}`;
      ctx.fillStyle = strong ? colours.strong : colours.words;
      ctx.fillText(label.words, x, y, label.width);
    }
    ctx.globalAlpha = 1;
    ctx.font = `600 ${smallest - 0.5}px ${this.face}`;
    for (const { x, y, words } of badges) {
      const wide = ctx.measureText(words).width + 10;
      ctx.fillStyle = colours.badge;
      ctx.beginPath();
      ctx.roundRect(x - wide + 7, y - 9, wide, 17, 8);
      ctx.fill();
      ctx.fillStyle = colours.words;
      ctx.fillText(words, x - wide / 2 + 7, y);
    }
  }

  buttons() {
    const held = this.stops.contains(this.root.getRootNode().activeElement);
    const made = this.data.stops.map((stop, number) => {
      const button = element("button", "stop");
      button.type = "button";
      button.tabIndex = number ? -1 : 0;
      button.dataset.stop = stop.id;
      button.setAttribute("aria-label", `${stop.name}. ${stop.note}`);
      button.onfocus = () => this.point(stop);
      button.onblur = () => this.point(null);
      button.onclick = () => this.act(stop);
      button.onkeydown = (event) => this.key(event, stop);
      return button;
    });
    this.stops.replaceChildren(...made);
    this.canvas.setAttribute("aria-label", this.data.label);
    if (held) made[0]?.focus({ preventScroll: true });
  }

  // The buttons over their nodes, wherever the picture was dragged.
  place() {
    const scale = this.network.getScale();
    this.data.stops.forEach((stop, number) => {
      const { x, y } = this.network.canvasToDOM({ x: stop.x - stop.width / 2, y: stop.y - stop.height / 2 });
      const { style } = this.stops.children[number];
      style.transform = `translate(${x}px, ${y}px)`;
      style.width = `${stop.width * scale}px`;
      style.height = `${stop.height * scale}px`;
    });
    this.shade();
  }

  // A shadow at either edge says that there is more of the picture beyond it.
  shade() {
    const { x, y, width } = this.data.frame;
    const [left, right] = [x - width / 2, x + width / 2].map((at) => this.network.canvasToDOM({ x: at, y }).x);
    this.root.classList.toggle("more-left", left < -2);
    this.root.classList.toggle("more-right", right > this.canvas.clientWidth + 2);
  }

  key(event, stop) {
    const towards = KEYS[event.key];
    if (!towards) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own Left and Right change the step
    const ahead = this.data.stops
      .map((one, number) => ({ number, x: one.x - stop.x, y: one.y - stop.y, one }))
      .filter(({ one }) => one !== stop)
      .map((to) => ({ ...to, along: to.x * towards[0] + to.y * towards[1], off: Math.abs(to.x * towards[1]) + Math.abs(to.y * towards[0]) }))
      .filter(({ along, one }) => along > 4 && (towards[0] || one.column === stop.column))
      .sort((a, b) => a.along + a.off - b.along - b.off);
    if (!ahead.length) return;
    const next = this.stops.children[ahead[0].number];
    for (const button of this.stops.children) button.tabIndex = button === next ? 0 : -1;
    next.focus({ preventScroll: true });
  }

  // Of nodes, predicates and lines the one under a place of the page.
  under(event) {
    if (!this.network) return null;
    const bounds = this.canvas.getBoundingClientRect();
    const pointer = { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
    const at = this.network.DOMtoCanvas(pointer);
    const stop = this.data.stops.find((one) => inside(one, at));
    if (stop) return stop;
    const label = this.data.labels.find((one) => one.x !== null && inside({ ...one, height: 17 }, at));
    if (label) return label;
    const edge = this.network.getEdgeAt(pointer);
    return this.data.labels.find((one) => one.edge === edge) ?? null;
  }

  point(what) {
    if (what === this.hot) return;
    this.hot = what;
    this.canvas.style.cursor = what ? "pointer" : "grab";
    const edges = this.lit().map((label) => label.edge);
    this.network.setSelection({ nodes: what?.kind ? [what.id] : [], edges }, { highlightEdges: false });
    this.tell(what);
  }

  tell(what) {
    this.tip.hidden = !what;
    if (!what) return;
    const name = (id) => this.data.stops.find((stop) => stop.id === id)?.name ?? "";
    const lines = what.edge
      ? [`${name(what.ends[0])} → ${what.whole} → ${name(what.ends[1])}`, what.said ? `Stated in: ${what.said}` : "", "Click to read it"]
      : [what.name, what.note];
    this.tip.replaceChildren(...lines.filter(Boolean).map((words, number) => element(number ? "span" : "b", "", words)));
    const { x, y } = this.network.canvasToDOM(what.x === null ? what.middle : { x: what.x, y: what.y + (what.height ?? 17) / 2 });
    const left = Math.max(4, Math.min(x - this.tip.offsetWidth / 2, this.root.clientWidth - this.tip.offsetWidth - 4));
    const below = y + 8 + this.tip.offsetHeight < this.canvas.clientHeight;
    const high = ((what.height ?? 17) + 6) * this.network.getScale();
    this.tip.style.transform = `translate(${left}px, ${below ? y + 8 : y - high - this.tip.offsetHeight}px)`;
  }

  act(what) {
    if (!what) return;
    if (what.kind === "entity") {
      if (what.column) this.walk(what.name);
      return;
    }
    this.select(what.edge ?? what.id);
  }

  listen() {
    let down = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      down = { x: event.clientX, y: event.clientY };
    });
    this.canvas.addEventListener("click", (event) => {
      const still = down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5; // else it was dragged
      if (still) this.act(this.under(event));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) this.point(this.under(event));
    });
    this.canvas.addEventListener("pointerleave", () => this.network && this.point(null));
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey && !this.full()) return; // the page is scrolled
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? STEP : 1 / STEP);
      },
      { passive: false },
    );
    const tool = (name, act) => this.root.querySelector(`[data-tool="${name}"]`).addEventListener("click", act);
    tool("in", () => this.zoom(STEP));
    tool("out", () => this.zoom(1 / STEP));
    tool("fit", () => this.fit());
    tool("full", () => (this.full() ? document.exitFullscreen() : this.root.requestFullscreen()));
    this.root.addEventListener("fullscreenchange", () => setTimeout(() => this.again(), 60));
    let width = this.root.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(this.root.clientWidth - width) < 4) return;
      width = this.root.clientWidth;
      this.again();
    }).observe(this.root);
  }

  again() {
    if (!this.network) return;
    this.resize();
    this.network.setSize("100%", this.canvas.style.height);
    this.network.redraw();
    this.home();
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".graph");
  const picture = drawn.get(root) ?? new Picture(root);
  drawn.set(root, picture);
  picture.latest = component;
  Promise.all([loaded(component.data.library), document.fonts.ready])
    .then(() => picture.show(picture.latest))
    .catch((error) => {
      root.querySelector(".tools span").textContent = "The graph could not be drawn. The table below lists all of it.";
      throw error; // to the browser's console
    })
    .finally(() => ready(component.parentElement));
}
