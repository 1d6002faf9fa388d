// The beam search as SVG: a column a step, a card a triple, a line from each card to the beam it extends.
// Cards take focus; arrow keys move between them, Enter or Space selects, and what is off the selected card's path is
// dimmed. Words are set as textContent only.

import { svg } from "./dom.js";
import { bring_out, show_details } from "./paths.js";
import { offer } from "./picture.js";
import { follow } from "./pointing.js";
import { redrawn } from "./redraw.js";

const CARD = { height: 54, pitch: 60, min: 190, max: 380 };
const QUERY = { width: 62, height: 34 };
const HEAD = 30;
const LAST = 0.6; // of a line for its last piece, at most

const ruler = document.createElement("canvas").getContext("2d");

function fitting(text, font, width) {
  if (ruler_width(text, font) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ruler_width(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}

function words(x, y, text, className, font, width) {
  const made = svg("text", { x, y, class: className });
  made.textContent = fitting(text, font, width);
  return made;
}

const ARROW = " → ";

// Words that are cut before an arrow keep it.
function shortened(text, font, width) {
  if (!text.endsWith(ARROW) || ruler_width(text, font) <= width) return fitting(text, font, width);
  return fitting(text.slice(0, -ARROW.length), font, width - ruler_width(ARROW, font)) + ARROW;
}

// A line of pieces, those of an entity marked as its name. What does not fit is cut, the last piece least: by an object
// a beam goes on.
function pieces(x, y, parts, className, font, width) {
  const made = svg("text", { x, y, class: className });
  const last = parts[parts.length - 1];
  let room = width;
  for (const one of parts) {
    const { text, entity, shared } = one;
    const rest = one === last ? 0 : Math.min(ruler_width(last.text, font), width * LAST);
    const shown = shortened(text, font, room - rest);
    const piece = svg("tspan", { class: shared ? "shared" : "" });
    if (entity) piece.dataset.entity = entity;
    piece.textContent = shown;
    made.append(piece);
    room -= ruler_width(shown, font);
  }
  return made;
}

function layout(columns, width) {
  const count = Math.max(1, columns.length);
  const gap = count > 3 ? 40 : 72;
  const card = Math.max(CARD.min, Math.min(CARD.max, (width - QUERY.width - 8 - gap * count) / count));
  const rows = Math.max(1, ...columns.map((column) => column.cards.length));
  const wide = 4 + QUERY.width + count * (card + gap) + 4;
  const beside = wide > width && columns.length ? columns[0].cards.length : rows; // what is seen of it before it is scrolled
  const places = new Map();
  columns.forEach((column, number) => {
    const x = 4 + QUERY.width + gap + number * (card + gap);
    const top = HEAD;
    column.cards.forEach((one, row) => places.set(one.id, { x, y: top + row * CARD.pitch, column: number, row }));
    places.set(`more ${number}`, { x, y: top + column.cards.length * CARD.pitch });
  });
  return {
    card,
    places,
    height: HEAD + rows * CARD.pitch + 26,
    width: wide,
    query: { x: 4, y: HEAD + (Math.min(beside, 8) * CARD.pitch - 7) / 2 - QUERY.height / 2 },
  };
}

function classes(card) {
  return [card.state, card.fresh && "fresh", card.carried && "carried"].filter(Boolean).join(" ");
}

function line(card, plan) {
  const to = plan.places.get(card.id);
  const from = plan.places.get(card.parent);
  const x1 = from ? from.x + plan.card : plan.query.x + QUERY.width;
  const y1 = from ? from.y + CARD.height / 2 : plan.query.y + QUERY.height / 2;
  const y2 = to.y + CARD.height / 2;
  const middle = (x1 + to.x) / 2;
  const width = card.state === "pruned" ? 1.2 : 1 + 3.5 * card.strength + (card.fresh ? 2.5 : 0);
  const path = `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${to.x},${y2}`;
  const made = svg("path", { d: path, "stroke-width": width.toFixed(2), class: `line ${classes(card)}` });
  made.dataset.from = card.parent ?? "query";
  made.dataset.to = card.id;
  return made;
}

function drawn(card, plan, selected, font) {
  const { x, y } = plan.places.get(card.id);
  const made = svg("g", { role: "button", tabindex: -1, "aria-label": card.label, "data-card": card.id, class: `card ${classes(card)}` });
  made.setAttribute("aria-pressed", String(card.id === selected));
  const right = x + plan.card;
  const pill = ruler_width(card.score, `600 12.5px ${font}`) + 16;
  const inner = plan.card - 26;
  const sign = card.fresh ? "★ new" : "★";
  const star = card.fresh ? 48 : card.star ? 16 : 0;
  made.append(
    svg("rect", { x, y, width: plan.card, height: CARD.height, rx: 7, class: "box" }),
    svg("path", { d: `M${x + 7},${y} h-1 a6,6 0 0 0 -6,6 v${CARD.height - 12} a6,6 0 0 0 6,6 h1 z`, class: "stripe" }),
    svg("rect", { x: right - pill - 7, y: y + 4, width: pill, height: 18, rx: 9, class: "pill" }),
    words(right - 7 - pill / 2, y + 17, card.score, "score", `600 12.5px ${font}`, pill),
  );
  if (card.star) made.append(words(x + 16, y + 17, sign, "star", `13px ${font}`, 60));
  made.append(
    pieces(x + 16 + star, y + 17, card.subject, "subject", `600 13.5px ${font}`, inner - pill - star - 4),
    pieces(x + 16, y + 32, card.relation, "relation", `13px ${font}`, inner),
    pieces(x + 16, y + 47, card.passage, "passage", `11.5px ${font}`, inner),
  );
  const title = svg("title", {});
  title.textContent = card.label;
  made.append(title);
  return made;
}

function ruler_width(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

function more(column, number, plan, open) {
  const { x, y } = plan.places.get(`more ${number}`);
  const label = `${column.more} more candidates of ${column.name} in the table`;
  const made = svg("g", { role: "button", tabindex: 0, "aria-label": label, "data-more": number, class: "more" });
  const text = svg("text", { x: x + 16, y: y + 14 });
  text.textContent = `+${column.more} more`;
  made.append(svg("rect", { x: x + 6, y: y - 2, width: 110, height: 22, rx: 5, class: "hit" }), text);
  made.addEventListener("click", () => open(number));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(number);
    }
  });
  return made;
}

function neighbour(key, card, columns, plan) {
  const at = plan.places.get(card.id);
  const column = columns[at.column].cards;
  if (key === "ArrowUp") return column[at.row - 1];
  if (key === "ArrowDown") return column[at.row + 1];
  if (key === "Home") return column[0];
  if (key === "End") return column[column.length - 1];
  if (key === "ArrowLeft" && at.column > 0) {
    return columns[at.column - 1].cards.find((one) => one.id === card.parent);
  }
  if (key === "ArrowRight" && at.column + 1 < columns.length) {
    const next = columns[at.column + 1].cards;
    return next.find((one) => one.parent === card.id) || next[Math.min(at.row, next.length - 1)];
  }
  return undefined;
}

const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

function listen(root, byId, columns, plan, selected, select) {
  const links = [...byId.values()].map((card) => ({ from: card.parent ?? "query", to: card.id }));
  let chosen = byId.has(selected) ? selected : null;
  const rest = () => bring_out(root, chosen, { links });
  rest();
  const choose = (id) => {
    chosen = id;
    root.querySelectorAll("[data-card]").forEach((card) => card.setAttribute("aria-pressed", String(card.dataset.card === id)));
    rest();
    select(id);
    show_details();
  };
  root.onpointerover = (event) => {
    const card = event.target.closest("[data-card]");
    if (card) bring_out(root, card.dataset.card, { links });
    else rest();
  };
  root.onpointerleave = rest;
  root.onclick = (event) => {
    const card = event.target.closest("[data-card]");
    if (card) choose(card.dataset.card);
  };
  root.onkeydown = (event) => {
    const card = event.target.closest("[data-card]");
    if (!card) return;
    if (KEYS.includes(event.key)) {
      event.preventDefault();
      event.stopPropagation(); // the page's own Left and Right change the step
      const next = neighbour(event.key, byId.get(card.dataset.card), columns, plan);
      if (next) focus(root, next.id);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      choose(card.dataset.card);
    }
  };
}

function focus(root, id) {
  root.querySelectorAll("[data-card]").forEach((card) => card.setAttribute("tabindex", -1));
  const card = root.querySelector(`[data-card="${id}"]`);
  if (!card) return;
  card.setAttribute("tabindex", 0);
  card.focus();
}

function render(root, component) {
  const { data, setStateValue, setTriggerValue } = component;
  const font = getComputedStyle(root).fontFamily;
  const plan = layout(data.columns, root.clientWidth);
  const cards = data.columns.flatMap((column) => column.cards);
  const byId = new Map(cards.map((card) => [card.id, card]));
  const held = root.getRootNode().activeElement?.closest?.("[data-card]")?.dataset.card;
  const picture = svg("svg", { width: plan.width, height: plan.height, role: "group", class: "beams" });
  picture.setAttribute("aria-label", `Beam search: ${cards.length} triples in ${data.columns.length} columns`);
  const heads = data.columns.map((column, number) => {
    const x = 4 + QUERY.width + (plan.places.get(`more ${number}`).x - 4 - QUERY.width) + plan.card / 2;
    return words(x, 14, column.name, "head", `600 13px ${font}`, plan.card);
  });
  const order = { pruned: 0, kept: 1, gold: 2 };
  const lines = [...cards].sort((a, b) => order[a.state] - order[b.state]).map((card) => line(card, plan));
  const node = svg("g", { class: "query" });
  const label = words(plan.query.x + QUERY.width / 2, plan.query.y + 22, "Query", "", `600 13px ${font}`, QUERY.width);
  const title = svg("title", {});
  title.textContent = data.query;
  node.append(svg("rect", { ...plan.query, ...QUERY, rx: 8 }), label, title);
  const rest = data.columns.flatMap((column, number) =>
    column.more ? [more(column, number, plan, (at) => setTriggerValue("more", at))] : [],
  );
  picture.append(...heads, ...lines, node, ...cards.map((card) => drawn(card, plan, data.selected, font)), ...rest);
  root.replaceChildren(picture);
  listen(root, byId, data.columns, plan, data.selected, (id) => setStateValue("selected", id));
  const first = byId.has(data.selected) ? data.selected : cards[0]?.id;
  root.querySelector(`[data-card="${first}"]`)?.setAttribute("tabindex", 0);
  if (held && byId.has(held)) focus(root, held);
  show(root, plan, plan.places.get(first));
}

// Where the picture is wider than its place, the selected card is what is seen of it first.
function show(root, plan, at) {
  if (at && at.column && plan.width > root.clientWidth) root.scrollLeft = at.x + plan.card + 14 - root.clientWidth;
}

export default function (component) {
  const root = component.parentElement.querySelector(".beam");
  const leave = redrawn(root, () => render(root, component));
  follow(root);
  offer(root, "beams");
  return leave;
}
