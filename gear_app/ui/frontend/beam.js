// The beam search as SVG: a column a step, a card a triple, a line from each card to the beam it extends.

import { fitting, frame, line, measured, pill, put, titled, words } from "./cards.js";
import { curve, ready, svg } from "./dom.js";
import { follow } from "./pointing.js";
import { redrawn } from "./redraw.js";

const CARD = { height: 54, pitch: 60, min: 190, max: 380 };
const QUERY = { width: 62, height: 34 };
const HEAD = 30;
const LAST = 0.6; // of a line for its last piece, at most

const ARROW = " → ";

// Words that are cut before an arrow keep it.
function shortened(text, font, width) {
  if (!text.endsWith(ARROW) || measured(text, font) <= width) return fitting(text, font, width);
  return fitting(text.slice(0, -ARROW.length), font, width - measured(ARROW, font)) + ARROW;
}

// A line of pieces, those of an entity marked as its name. What does not fit is cut, the last piece least: by an object
// a beam goes on.
function pieces(x, y, parts, className, font, width) {
  const made = svg("text", { x, y, class: className });
  const last = parts[parts.length - 1];
  let room = width;
  for (const one of parts) {
    const { text, entity, shared } = one;
    const rest = one === last ? 0 : Math.min(measured(last.text, font), width * LAST);
    const shown = shortened(text, font, room - rest);
    const piece = svg("tspan", { class: shared ? "shared" : "" }, shown);
    if (entity) piece.dataset.entity = entity;
    made.append(piece);
    room -= measured(shown, font);
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
  return [card.state, card.state === "pruned" && "dashed", card.fresh && "fresh", card.carried && "carried"].filter(Boolean).join(" ");
}

function beam_line(card, plan) {
  const to = plan.places.get(card.id);
  const from = plan.places.get(card.parent);
  const x = from ? from.x + plan.card : plan.query.x + QUERY.width;
  const y = from ? from.y + CARD.height / 2 : plan.query.y + QUERY.height / 2;
  const width = card.state === "pruned" ? 1.2 : 1 + 3.5 * card.strength + (card.fresh ? 2.5 : 0);
  return line(curve(x, y, to.x, to.y + CARD.height / 2), width, classes(card), { from: card.parent ?? "query", to: card.id });
}

function drawn(card, plan, selected, font) {
  const { x, y } = plan.places.get(card.id);
  const bold = `600 12.5px ${font}`;
  const score = measured(card.score, bold) + 16;
  const inner = plan.card - 26;
  const sign = card.fresh ? "★ new" : "★";
  const star = card.fresh ? 48 : card.star ? 16 : 0;
  const made = frame(card, { x, y, width: plan.card, height: CARD.height }, classes(card), selected);
  made.append(...pill(x + plan.card - 7, y + 4, score, card.score, bold));
  if (card.star) made.append(words(x + 16, y + 17, sign, "star", `13px ${font}`, 60));
  made.append(
    pieces(x + 16 + star, y + 17, card.subject, "subject", `600 13.5px ${font}`, inner - score - star - 4),
    pieces(x + 16, y + 32, card.relation, "relation", `13px ${font}`, inner),
    pieces(x + 16, y + 47, card.passage, "passage", `11.5px ${font}`, inner),
  );
  return titled(made, card.label);
}

function more(column, number, plan, open) {
  const { x, y } = plan.places.get(`more ${number}`);
  const label = `${column.more} more candidates of ${column.name} in the table`;
  const made = svg("g", { role: "button", tabindex: 0, "aria-label": label, "data-more": number, class: "more" });
  made.append(
    svg("rect", { x: x + 6, y: y - 2, width: 110, height: 22, rx: 5, class: "hit" }),
    svg("text", { x: x + 16, y: y + 14 }, `+${column.more} more`),
  );
  made.addEventListener("click", () => open(number));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(number);
    }
  });
  return made;
}

function render(root, component) {
  const { data, setStateValue, setTriggerValue } = component;
  const font = getComputedStyle(root).fontFamily;
  const plan = layout(data.columns, root.clientWidth);
  const cards = data.columns.flatMap((column) => column.cards);
  const picture = svg("svg", { width: plan.width, height: plan.height, role: "group", class: "beams" });
  picture.setAttribute("aria-label", `Beam search: ${cards.length} triples in ${data.columns.length} columns`);
  const heads = data.columns.map((column, number) => {
    const middle = plan.places.get(`more ${number}`).x + plan.card / 2;
    return words(middle, 14, column.name, "head", `600 13px ${font}`, plan.card);
  });
  const order = { pruned: 0, kept: 1, gold: 2 };
  const lines = [...cards].sort((a, b) => order[a.state] - order[b.state]).map((card) => beam_line(card, plan));
  const node = svg("g", { class: "query" });
  const label = words(plan.query.x + QUERY.width / 2, plan.query.y + 22, "Query", "", `600 13px ${font}`, QUERY.width);
  node.append(svg("rect", { ...plan.query, ...QUERY, rx: 8 }), label);
  const rest = data.columns.flatMap((column, number) =>
    column.more ? [more(column, number, plan, (at) => setTriggerValue("more", at))] : [],
  );
  picture.append(...heads, ...lines, titled(node, data.query), ...cards.map((card) => drawn(card, plan, data.selected, font)), ...rest);
  const links = cards.map((card) => ({ from: card.parent ?? "query", to: card.id, strength: 0 }));
  const first = put(root, picture, { ...data, links }, (id) => setStateValue("selected", id));
  show(root, plan, plan.places.get(first));
}

// Where the picture is wider than its place, the selected card is what is seen of it first.
function show(root, plan, at) {
  if (at && at.column && plan.width > root.clientWidth) root.scrollLeft = at.x + plan.card + 14 - root.clientWidth;
}

export default function (component) {
  ready(component.parentElement);
  const root = component.parentElement.querySelector(".beam");
  const leave = redrawn(root, () => render(root, component));
  follow(root);
  return leave;
}
