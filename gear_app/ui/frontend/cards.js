// One behaviour of all pictures made of columns of cards with lines between them, drawn as SVG. Cards take focus: arrow keys
// move between them, Enter or Space selects. A card that is selected or pointed at brings out what lies on the paths through
// it, and what is off them is dimmed. Cards have data-card, lines data-from and data-to. Words are textContent only.

import { svg } from "./dom.js";

const ruler = document.createElement("canvas").getContext("2d");

export function measured(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

// A text, cut where it is wider than its room.
export function fitting(text, font, width) {
  if (measured(text, font) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measured(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}

export function words(x, y, text, className, font, width) {
  return svg("text", { x, y, class: className }, fitting(text, font, width));
}

export function titled(made, text) {
  made.append(svg("title", {}, text));
  return made;
}

// The box of a card with a stripe on its left.
export function frame(card, { x, y, width, height }, className, selected) {
  const made = svg("g", { role: "button", tabindex: -1, "aria-label": card.label, "data-card": card.id, class: `card ${className}` });
  made.setAttribute("aria-pressed", String(card.id === selected));
  made.append(
    svg("rect", { x, y, width, height, rx: 7, class: "box" }),
    svg("path", { d: `M${x + 7},${y} h-1 a6,6 0 0 0 -6,6 v${height - 12} a6,6 0 0 0 6,6 h1 z`, class: "stripe" }),
  );
  return made;
}

// A number on a ground of its own, to the left of a point.
export function pill(right, y, width, text, font) {
  return [
    svg("rect", { x: right - width, y, width, height: 18, rx: 9, class: "pill" }),
    words(right - width / 2, y + 13, text, "score", font, width),
  ];
}

export function line(d, width, className, { from, to }) {
  return svg("path", { d, "stroke-width": width.toFixed(2), class: `line ${className}`, "data-from": from, "data-to": to });
}

// The cards on the paths through a card: back from it and on from it.
function through(id, links) {
  const cards = new Set([id]);
  for (const [near, far] of [["to", "from"], ["from", "to"]]) {
    const queue = [id];
    while (queue.length) {
      const here = queue.pop();
      for (const link of links) {
        if (link[near] === here && !cards.has(link[far])) {
          cards.add(link[far]);
          queue.push(link[far]);
        }
      }
    }
  }
  return cards;
}

// The cards at the other ends of a card's own lines.
function beside(id, links) {
  return new Set([id, ...links.flatMap((link) => (link.from === id ? [link.to] : link.to === id ? [link.from] : []))]);
}

// `direct`: only the lines at the card itself count, and those that are hidden otherwise are shown. No card: all is equal.
function bring_out(root, id, { links, direct }) {
  const cards = id ? (direct ? beside(id, links) : through(id, links)) : null;
  root.querySelectorAll(".line, .tag").forEach((made) => {
    const { from, to } = made.dataset;
    const on = cards && (direct ? from === id || to === id : cards.has(from) && cards.has(to));
    made.classList.toggle("on", Boolean(on));
    made.classList.toggle("off", Boolean(cards && !on));
    made.classList.toggle("shown", Boolean(on));
  });
  root.querySelectorAll("[data-card]").forEach((made) => {
    made.classList.toggle("off", Boolean(cards && !cards.has(made.dataset.card)));
  });
}

const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

// The card that a key leads to: within the column, along the strongest line, else to the card beside.
function neighbour(key, id, columns, links) {
  const at = columns.findIndex((cards) => cards.includes(id));
  const row = columns[at].indexOf(id);
  if (key === "ArrowUp") return columns[at][row - 1];
  if (key === "ArrowDown") return columns[at][row + 1];
  if (key === "Home") return columns[at][0];
  if (key === "End") return columns[at][columns[at].length - 1];
  const [near, far] = key === "ArrowLeft" ? ["to", "from"] : ["from", "to"];
  const there = links.filter((link) => link[near] === id && columns.some((cards) => cards.includes(link[far])));
  const beside = columns[at + (key === "ArrowLeft" ? -1 : 1)];
  return there.sort((a, b) => b.strength - a.strength)[0]?.[far] || beside?.[Math.min(row, beside.length - 1)];
}

function focus(root, id) {
  root.querySelectorAll("[data-card]").forEach((card) => card.setAttribute("tabindex", card.dataset.card === id ? 0 : -1));
  root.querySelector(`[data-card="${id}"]`)?.focus();
}

// Put a picture in place, and let its cards be pointed at, walked through and chosen; the card that is reached first. `data`
// has the columns, the links and whether they are direct, and the card that is selected.
export function put(root, picture, data, select) {
  const { links } = data;
  const held = root.getRootNode().activeElement?.closest?.("[data-card]")?.dataset.card;
  const columns = data.columns.map((column) => column.cards.map((card) => card.id));
  const there = columns.flat();
  let chosen = there.includes(data.selected) ? data.selected : null;
  const card_at = (event) => event.target.closest("[data-card]")?.dataset.card;
  const rest = () => bring_out(root, chosen, data);
  const choose = (id) => {
    chosen = id;
    root.querySelectorAll("[data-card]").forEach((card) => card.setAttribute("aria-pressed", String(card.dataset.card === id)));
    rest();
    select(id);
    show_details();
  };
  root.replaceChildren(picture);
  rest();
  root.onclick = (event) => {
    const id = card_at(event);
    if (id) choose(id);
  };
  root.onpointerover = (event) => bring_out(root, card_at(event) ?? chosen, data);
  root.onpointerleave = rest;
  root.onkeydown = (event) => {
    const id = card_at(event);
    const [walks, chooses] = [KEYS.includes(event.key), event.key === "Enter" || event.key === " "];
    if (!id || !(walks || chooses)) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own Left and Right change the step
    if (chooses) return choose(id);
    const next = neighbour(event.key, id, columns, links);
    if (next) focus(root, next);
  };
  const first = chosen ?? there[0];
  root.querySelector(`[data-card="${first}"]`)?.setAttribute("tabindex", 0);
  if (there.includes(held)) focus(root, held);
  return first;
}

const LOOK_MS = 100;
const LOOKS = 100;

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const drawn = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
const shown = () => document.querySelector(".st-key-selected");
const covered = () => document.querySelector("[data-testid=stHeader]")?.getBoundingClientRect().bottom ?? 0;

// Where the details stand outside the window, as on a phone, bring them into view once the page has drawn them. A busy
// machine begins late: what stands there at first is another card's.
async function show_details() {
  const before = shown()?.textContent;
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(LOOK_MS);
    if (!drawn() || shown()?.textContent === before) continue;
    const top = shown()?.getBoundingClientRect().top;
    if (top > innerHeight - 80 || top < covered()) shown().scrollIntoView({ block: "nearest" }); // a smooth one can be lost
    return;
  }
}
