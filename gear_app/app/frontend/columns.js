// Columns of cards with lines between them. The cards are markup of gear_app/display, where all text is escaped. A line runs
// in the space between columns, and past a column by a lane between its cards: never behind a card. A card that is pointed
// at or selected brings out the lines on the paths through it; where the data is "direct", those at the card itself.

import { curve, element, ready, redrawn, svg } from "./dom.js";
import { follow } from "./pointing.js";

const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];
const ARC = 22; // of a line between cards of a column, on its left side
const WAIT_MS = 900;

const cards_of = (root) => [...root.querySelectorAll("[data-card]")];
const card_of = (root, id) => root.querySelector(`[data-card="${CSS.escape(id)}"]`);
const middle = (box) => box.top + box.height / 2;

// A lane through each column that a line passes, where the straight way would cross it.
function lay_lanes(columns, cards, links) {
  for (const { from, to } of links) {
    const [start, end] = [cards[from].column, cards[to].column];
    const [high, low] = [middle(cards[from].made.getBoundingClientRect()), middle(cards[to].made.getBoundingClientRect())];
    for (let at = start + 1; at < end; at += 1) {
      if (columns[at].querySelector(`[data-lane="${CSS.escape(from)}"]`)) continue;
      const height = high + ((low - high) * (at - start)) / (end - start);
      const next = [...columns[at].querySelectorAll("[data-card]")].find((one) => middle(one.getBoundingClientRect()) > height);
      columns[at].insertBefore(element("i", "lane", { "data-lane": from }), next ?? columns[at].querySelector(".more"));
    }
  }
}

function path({ from, to }, columns, cards, frame) {
  const place = (made) => {
    const box = made.getBoundingClientRect();
    return { left: box.left - frame.left, right: box.right - frame.left, y: middle(box) - frame.top };
  };
  const [start, end] = [cards[from], cards[to]];
  const [a, b] = [place(start.made), place(end.made)];
  if (start.column === end.column) return `M${a.left},${a.y} C${a.left - ARC},${a.y} ${b.left - ARC},${b.y} ${b.left},${b.y}`;
  let [x, y, drawn] = [a.right, a.y, ""];
  for (let at = start.column + 1; at <= end.column; at += 1) {
    const stop = at === end.column ? b : place(columns[at].querySelector(`[data-lane="${CSS.escape(from)}"]`));
    drawn += curve(x, y, stop.left, stop.y) + (stop === b ? "" : ` L${stop.right},${stop.y} `);
    [x, y] = [stop.right, stop.y];
  }
  return drawn;
}

function draw(root, data) {
  root.querySelectorAll(".lane, svg").forEach((one) => one.remove());
  const board = root.querySelector(".gear-columns");
  const columns = [...board.querySelectorAll("section")];
  const cards = {};
  columns.forEach((column, at) => cards_of(column).forEach((made) => (cards[made.dataset.card] = { made, column: at })));
  const known = data.links.filter(({ from, to }) => cards[from] && cards[to]);
  const links = known.map((link) => (cards[link.from].column > cards[link.to].column ? { ...link, from: link.to, to: link.from } : link));
  board.classList.toggle("arcs", links.some(({ from, to }) => cards[from].column + cards[to].column === 0));
  lay_lanes(columns, cards, links);
  const picture = svg("svg", { width: board.scrollWidth, height: board.scrollHeight, "aria-hidden": "true" });
  const frame = board.getBoundingClientRect();
  for (const link of links.sort((a, b) => a.strength - b.strength)) {
    const line = svg("path", { d: path(link, columns, cards, frame), class: `line ${link.kind}`, "data-from": link.from, "data-to": link.to });
    line.style.strokeWidth = `${1 + 7 * link.strength}px`;
    line.append(svg("title", {}, link.words));
    picture.append(line);
  }
  board.prepend(picture);
}

// The cards on the paths through a card; "direct": those at the other ends of its own lines.
function reached(id, { links, direct }) {
  const found = new Set([id]);
  for (const [near, far] of [["to", "from"], ["from", "to"]]) {
    const queue = [id];
    while (queue.length) {
      const here = queue.pop();
      for (const link of links.filter((one) => one[near] === here && !found.has(one[far]))) {
        found.add(link[far]);
        if (!direct) queue.push(link[far]);
      }
    }
  }
  return found;
}

function bring_out(root, id, data) {
  const found = id && reached(id, data);
  root.querySelectorAll(".line").forEach((line) => {
    const { from, to } = line.dataset;
    const on = found && (data.direct ? from === id || to === id : found.has(from) && found.has(to));
    line.classList.toggle("on", Boolean(on));
    line.classList.toggle("off", Boolean(found && !on));
  });
  cards_of(root).forEach((card) => card.classList.toggle("off", Boolean(found && !found.has(card.dataset.card))));
}

// The card that a key leads to: within the column, along the strongest line, else to the card at the side.
function neighbour(root, key, card, { links }) {
  const columns = [...root.querySelectorAll("section")].map(cards_of);
  const at = columns.findIndex((cards) => cards.includes(card));
  const row = columns[at].indexOf(card);
  if (key === "ArrowUp") return columns[at][row - 1];
  if (key === "ArrowDown") return columns[at][row + 1];
  if (key === "Home") return columns[at][0];
  if (key === "End") return columns[at].at(-1);
  const [near, far] = key === "ArrowLeft" ? ["to", "from"] : ["from", "to"];
  const linked = links.filter((link) => link[near] === card.dataset.card && card_of(root, link[far]));
  const side = columns[at + (key === "ArrowLeft" ? -1 : 1)];
  const strongest = linked.sort((a, b) => b.strength - a.strength)[0];
  return strongest ? card_of(root, strongest[far]) : side?.[Math.min(row, side.length - 1)];
}

function focus(root, card) {
  cards_of(root).forEach((one) => (one.tabIndex = one === card ? 0 : -1));
  card.focus();
}

// On a phone the details are below the picture: they come into view once the page has drawn them.
const show_details = () => setTimeout(() => document.querySelector(".st-key-selected")?.scrollIntoView({ block: "nearest" }), WAIT_MS);

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".columns");
  const held = root.getRootNode().activeElement?.closest?.("[data-card]")?.dataset.card;
  let chosen = data.selected;
  if (root.shown !== data.html) {
    root.shown = data.html;
    root.innerHTML = data.html;
  }
  const mark = () => {
    for (const card of cards_of(root)) {
      card.setAttribute("role", "button");
      card.setAttribute("aria-pressed", String(card.dataset.card === chosen));
      card.tabIndex = -1;
    }
    const first = (chosen && card_of(root, chosen)) || cards_of(root)[0];
    if (first) first.tabIndex = 0;
    bring_out(root, chosen, data);
  };
  const choose = (id) => {
    chosen = id;
    mark();
    setStateValue("selected", id);
    show_details();
  };
  const at = (event) => event.target.closest("[data-card]");
  root.onclick = (event) => at(event) && choose(at(event).dataset.card);
  root.onpointerover = (event) => bring_out(root, at(event)?.dataset.card ?? chosen, data);
  root.onpointerleave = () => bring_out(root, chosen, data);
  root.onkeydown = (event) => {
    const [card, chooses] = [at(event), event.key === "Enter" || event.key === " "];
    if (!card || !(chooses || KEYS.includes(event.key))) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own Left and Right change the step
    const next = chooses ? null : neighbour(root, event.key, card, data);
    if (chooses) choose(card.dataset.card);
    else if (next) focus(root, next);
  };
  const leave = redrawn(root, () => {
    draw(root, data);
    mark();
  });
  document.fonts.ready.then(() => root.isConnected && draw(root, data)).then(mark);
  if (held && card_of(root, held)) focus(root, card_of(root, held));
  follow(root);
  return leave;
}
