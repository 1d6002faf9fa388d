// Columns of cards with lines between them: the walk from entities to passages, and ranks before and after.
// A card that is pointed at or selected brings out the lines that lead to it and on from it; where the data is "direct",
// those at the card alone, also the "quiet" ones, which are hidden otherwise. Words are textContent only.

import { frame, line, measured, pill, put, titled, words } from "./cards.js";
import { curve, ready, svg } from "./dom.js";
import { follow } from "./pointing.js";
import { redrawn } from "./redraw.js";

const CARD = { min: 112, named: 92, max: 300, gap: 7, narrow: 160 }; // `named`: the least where words stand at the lines
const HIGH = { plain: 30, noted: 42, lane: 9, rule: 30 }; // a card, one with a second line, the way past a column, a line across
const TAG = { high: 18, places: [0.5, 0.4, 0.6, 0.32, 0.68, 0.24, 0.76], longest: 150 }; // a line's words, and where they may stand
const HEAD = 28;
const LINE = 16; // a further line of a heading, or of the words of a line across

// The lines that a text takes in so much width.
function broken(text, font, width) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length && measured(longer, font) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// Words under one another that stand in the middle of a column.
function several(x, y, lines, className, font, width) {
  return lines.map((text, number) => words(x, y + number * LINE, text, className, font, width));
}

function as_entity(made, name) {
  if (name) made.dataset.entity = name;
  return made;
}

function layout(columns, width, named, font) {
  const count = columns.length;
  const roomy = width > 640;
  const least = count > 3 ? (roomy ? 50 : 30) : count > 2 ? (roomy ? 90 : 50) : roomy ? 150 : 80;
  const parts = columns.reduce((sum, column) => sum + column.weight, 0);
  const margin = named ? 24 : 4; // of arcs on the left of the first column
  const room = width - 4 - margin;
  const gap = named ? Math.max(least, Math.min(width * 0.3, (room - CARD.min * parts) / (count - 1))) : least;
  const unit = (room - gap * (count - 1)) / parts;
  const smallest = named ? CARD.named : CARD.min;
  const wide = columns.map((column) => Math.max(smallest, Math.min(CARD.max, unit * column.weight)));
  const used = wide.reduce((sum, one) => sum + one, 0) + gap * (count - 1);
  const whole = Math.max(width, used + margin + 4);
  const lefts = [];
  let left = Math.max(margin, (width - used) / 2);
  for (const one of wide) {
    lefts.push(left);
    left += one + gap;
  }
  const middles = lefts.map((x, number) => x + wide[number] / 2);
  const over = middles.map((x, number) => Math.min(wide[number] + 40, 2 * x, 2 * (whole - x))); // what words over a column may take
  const names = columns.map((column, number) => broken(column.name, `600 13px ${font}`, over[number]));
  const across = columns.map((column, number) => broken(column.rule || "", `12.5px ${font}`, over[number]));
  const top = HEAD + LINE * (Math.max(...names.map((lines) => lines.length)) - 1);
  const below = wide.map((one) => one < CARD.narrow); // the scores, for which there is no room beside the names
  const second = (number) => (card) => card.note || (below[number] && card.score);
  const high = columns.map((column, number) => (column.cards.some(second(number)) ? HIGH.noted : HIGH.plain));
  const size = (number) => (id) => {
    if (id === "rule") return HIGH.rule + LINE * (across[number].length - 1) + CARD.gap;
    return (id.startsWith("lane ") ? HIGH.lane : high[number]) + CARD.gap;
  };
  const tall = columns.map((column, number) => column.order.map(size(number)).reduce((sum, one) => sum + one, 0));
  const most = Math.max(HIGH.plain, ...tall);
  const places = new Map();
  const lanes = new Map();
  const heads = [];
  const rules = [];
  columns.forEach((column, number) => {
    const x = lefts[number];
    let y = top + (most - tall[number]) / 2;
    column.order.forEach((id) => {
      const place = { x, y, width: wide[number], height: size(number)(id) - CARD.gap, column: number, below: below[number] };
      if (id === "rule") rules.push({ ...place, middle: middles[number], lines: across[number], room: over[number] });
      else if (id.startsWith("lane ")) lanes.set(`${number} ${id.slice(5)}`, place);
      else places.set(id, place);
      y += place.height + CARD.gap;
    });
    column.cards.forEach((card, row) => Object.assign(places.get(card.id), { row }));
    heads.push({ x: middles[number], bottom: y + 10, width: over[number], lines: names[number] });
  });
  return { places, lanes, heads, rules, height: top + most + 22, width: whole };
}

// Left to right, past the columns between by their lanes; within a column an arc on its left side.
function path(link, plan) {
  const from = plan.places.get(link.from);
  const to = plan.places.get(link.to);
  const middle = (place) => place.y + place.height / 2;
  if (from.column === to.column) {
    const out = from.x - 26;
    return `M${from.x},${middle(from)} C${out},${middle(from)} ${out},${middle(to)} ${to.x},${middle(to)}`;
  }
  const between = [];
  for (let column = from.column + 1; column < to.column; column += 1) {
    const lane = plan.lanes.get(`${column} ${link.from}`);
    if (lane) between.push(lane);
  }
  let [x, y] = [from.x + from.width, middle(from)];
  let drawn = "";
  for (const stop of [...between, to]) {
    drawn += ` ${curve(x, y, stop.x, middle(stop))}`;
    [x, y] = [stop.x + stop.width, middle(stop)];
    if (stop !== to) drawn += ` L${x},${y}`;
  }
  return drawn;
}

function kind(link) {
  return [link.kind, link.dashed && "dashed", link.quiet && "quiet"].filter(Boolean).join(" ");
}

// A point of a line between neighbouring columns.
function point(link, plan, at) {
  const [from, to] = [plan.places.get(link.from), plan.places.get(link.to)];
  const [y, end] = [from.y + from.height / 2, to.y + to.height / 2];
  const x = from.x + from.width;
  const bend = (to.x - x) / 2;
  const mix = (a, b, c, d) => (1 - at) ** 3 * a + 3 * (1 - at) ** 2 * at * b + 3 * (1 - at) * at ** 2 * c + at ** 3 * d;
  return { x: mix(x, x + bend, to.x - bend, to.x), y: mix(y, y, end, end) };
}

// The words of the lines, each where it covers no other; those of quiet lines come last and may cover one another.
function tags(links, plan, font) {
  const taken = [];
  const bold = `600 12.5px ${font}`;
  const named = links.filter((link) => link.label && plan.places.get(link.from).column !== plan.places.get(link.to).column);
  return [...named.filter((link) => !link.quiet), ...named.filter((link) => link.quiet)].map((link) => {
    const wide = Math.min(measured(link.label, bold), TAG.longest) + 10;
    const boxes = TAG.places.map((at) => {
      const { x, y } = point(link, plan, at);
      return { x: x - wide / 2, y: y - TAG.high / 2, wide };
    });
    const free = (box) => taken.every((one) => Math.abs(one.y - box.y) > TAG.high || one.x > box.x + box.wide || box.x > one.x + one.wide);
    const box = boxes.find(free) || boxes[0];
    if (!link.quiet) taken.push(box);
    const made = svg("g", { class: `tag ${kind(link)}`, "data-from": link.from, "data-to": link.to });
    made.append(
      svg("rect", { x: box.x, y: box.y, width: wide, height: TAG.high, rx: 5, class: "under" }),
      as_entity(words(box.x + wide / 2, box.y + 13, link.label, "name", bold, TAG.longest), link.entity),
    );
    return titled(made, link.words);
  });
}

function rule(place, font) {
  const made = svg("g", { class: "rule" });
  const { x, y, width } = place;
  made.append(svg("path", { d: `M${x},${y + 6} h${width}` }));
  made.append(...several(place.middle, y + HIGH.rule - 4, place.lines, "", `12.5px ${font}`, place.room));
  return made;
}

function drawn(card, plan, selected, font) {
  const place = plan.places.get(card.id);
  const { x, y, width, below } = place;
  const bold = `600 12.5px ${font}`;
  const note = [card.note, below && card.score].filter(Boolean).join(" · ");
  const score = card.score && !below ? measured(card.score, bold) + 14 : 0;
  const rank = card.rank ? Math.max(20, measured(String(card.rank), bold) + 10) : 0;
  const star = card.star ? 16 : 0;
  const inner = x + 14 + rank + star;
  const made = frame(card, place, card.dashed ? `${card.kind} dashed` : card.kind, selected);
  if (rank) made.append(words(x + 12 + rank / 2, y + 20, String(card.rank), "rank", bold, rank));
  if (star) made.append(words(x + 14 + rank, y + 20, "★", "star", `13px ${font}`, 20));
  const title = words(inner, y + 20, card.title, "title", `13px ${font}`, x + width - 8 - inner - (score ? score + 2 : 0));
  made.append(as_entity(title, card.entity));
  if (note) made.append(words(inner - star, y + 36, note, "note", `12.5px ${font}`, x + width - 8 - inner + star));
  if (score) made.append(...pill(x + width - 6, y + 6, score, card.score, bold));
  return titled(made, `${card.title}\n${card.label}`);
}

function render(root, component) {
  const { data, setStateValue } = component;
  const font = getComputedStyle(root).fontFamily;
  const plan = layout(data.columns, root.clientWidth, data.links.some((link) => link.label), font);
  const cards = data.columns.flatMap((column) => column.cards);
  const picture = svg("svg", { width: plan.width, height: plan.height, role: "group" });
  picture.setAttribute("aria-label", data.label);
  const heads = plan.heads.flatMap((head) => several(head.x, 14, head.lines, "head", `600 13px ${font}`, head.width));
  const more = data.columns.map((column, number) => {
    const { x, bottom, width } = plan.heads[number];
    return words(x, bottom, column.more > 0 ? `+${column.more} more` : "", "more", `12.5px ${font}`, width);
  });
  const order = [...data.links].sort((a, b) => a.strength - b.strength);
  const lines = order.map((link) => titled(line(path(link, plan), 1 + 7 * link.strength, kind(link), link), link.words));
  picture.append(...heads, ...lines, ...tags(order.reverse(), plan, font), ...plan.rules.map((one) => rule(one, font)));
  picture.append(...cards.map((card) => drawn(card, plan, data.selected, font)), ...more);
  put(root, picture, data, (id) => setStateValue("selected", id));
}

export default function (component) {
  ready(component.parentElement);
  const root = component.parentElement.querySelector(".flow");
  const leave = redrawn(root, () => render(root, component));
  follow(root);
  return leave;
}
