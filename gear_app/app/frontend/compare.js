// Rankings side by side: a column a run, a row a rank, one passage one line from column to column.
// Passages take focus; arrow keys move between them, Enter or Space selects. Words are set as textContent only.

import { button, curve, element, link, ready, redrawn, svg } from "./dom.js";

const ROW = 27;
const PILL = 22;
const GUTTER = 26;
const LEAST = 92; // pixels a passage needs to be recognised
const MOST = 380;

function path(d, className) {
  return svg("path", { d, class: className });
}

// Where everything is: columns from left to right, ranks from top to bottom, under them the gold that is further down.
function plan(data, width) {
  const count = data.columns.length;
  const gap = count <= 3 ? 84 : count <= 5 ? 54 : 32;
  const room = (width - 4 - GUTTER - gap * (count - 1)) / count; // 4: the ring of the selected one
  const pill = Math.max(LEAST, Math.min(MOST, room));
  const slots = data.columns.map((column, at) => (column.state === "done" ? below(data, at) : []));
  const deepest = Math.max(0, ...slots.map((slot) => slot.length));
  const bottom = data.rows * ROW + 12;
  return {
    gap,
    pill,
    slots,
    bottom,
    trace: bottom + deepest * ROW,
    height: bottom + deepest * ROW + 24,
    width: GUTTER + count * pill + (count - 1) * gap,
    x: (at) => GUTTER + at * (pill + gap),
  };
}

function below(data, at) {
  const out = data.passages.filter((one) => one.gold && !(one.ranks[at] && one.ranks[at] <= data.rows));
  return out.sort((a, b) => (a.ranks[at] ?? Infinity) - (b.ranks[at] ?? Infinity) || a.gold - b.gold).map((one) => one.key);
}

// The height of a passage in a column, or null where the picture does not have it there.
function height(passage, at, data, where) {
  const rank = passage.ranks[at];
  if (rank && rank <= data.rows) return (rank - 0.5) * ROW;
  const slot = where.slots[at].indexOf(passage.key);
  return slot < 0 ? null : where.bottom + (slot + 0.5) * ROW;
}

function lines(passage, data, where, done) {
  const made = [];
  const kind = `line ${passage.gold ? "gold" : ""} ${passage.kind ?? ""}`;
  for (let place = 0; place + 1 < done.length; place += 1) {
    const [from, to] = [done[place], done[place + 1]];
    const [y1, y2] = [height(passage, from, data, where), height(passage, to, data, where)];
    const [x1, x2] = [where.x(from) + where.pill, where.x(to)];
    const hook = Math.min(26, where.gap * 0.6);
    if (y1 !== null && y2 !== null) made.push(path(curve(x1, y1, x2, y2), kind));
    else if (y1 !== null) made.push(path(`M${x1},${y1} q${hook},0 ${hook},${ROW * 0.8}`, "line leaving"));
    else if (y2 !== null) made.push(path(`M${x2},${y2} q${-hook},0 ${-hook},${ROW * 0.8}`, "line leaving"));
  }
  return made;
}

// The whole way of one passage, drawn over the others while it is pointed at or selected.
function trace(layer, key, data, where, done) {
  layer.replaceChildren();
  const passage = data.passages.find((one) => one.key === key);
  if (!passage) return;
  const at = (column) => height(passage, column, data, where) ?? where.trace + 12;
  for (let place = 0; place + 1 < done.length; place += 1) {
    const [from, to] = [done[place], done[place + 1]];
    const d = curve(where.x(from) + where.pill, at(from), where.x(to), at(to));
    layer.append(path(d, passage.gold ? "line hot gold" : "line hot"));
  }
  for (const column of done) {
    if (height(passage, column, data, where) !== null) continue;
    const rank = passage.ranks[column];
    const label = svg("text", { x: where.x(column) + where.pill / 2, y: where.trace + 16 }, rank ? `rank ${rank}` : "not found");
    layer.append(path(`M${where.x(column)},${where.trace + 12} h${where.pill}`, "line bed"), label);
  }
}

function words(passage, column, rank) {
  const gold = passage.gold ? `, gold passage ${passage.gold}` : "";
  const place = rank ? `rank ${rank} by ${column.label}` : `not in the ${column.length} passages of ${column.label}`;
  return `${passage.title}${gold}, ${place}`;
}

function card(passage, at, data, where) {
  const rank = passage.ranks[at];
  const low = !(rank && rank <= data.rows);
  const told = words(passage, data.columns[at], rank);
  const kind = `pill ${passage.gold ? "gold" : ""} ${passage.kind ?? ""} ${low ? "low" : ""}`;
  const made = element("button", kind, { type: "button", tabindex: -1, title: told, "aria-label": told, "data-key": passage.key, "data-column": at });
  made.setAttribute("aria-pressed", passage.key === data.selected);
  made.style.cssText = `left:${where.x(at)}px;top:${height(passage, at, data, where) - PILL / 2}px;width:${where.pill}px;height:${PILL}px`;
  if (passage.gold) made.append(element("span", "star", `★${passage.gold}`));
  made.append(element("span", "title", { dir: "auto" }, passage.title));
  if (low) made.append(element("span", "rank", rank ? String(rank) : where.pill < 160 ? "–" : "not found"));
  return made;
}

function tool(name, sign, label, act) {
  return button(`tool ${name}`, act, { title: label, "aria-label": label }, sign);
}

function head(column, where, cut, last, send) {
  const made = element("div", "head");
  const wider = last ? 0 : Math.min(20, where.gap - 12);
  made.style.width = `${where.pill + wider}px`;
  made.style.marginRight = `${last ? 0 : where.gap - wider}px`;
  if (!column.run) {
    made.append(element("div", "name", column.label)); // of a what-if
    return made;
  }
  const address = `./explore?run=${encodeURIComponent(column.run)}`;
  const name = link("name", address, () => send("open", column.run), { title: `${column.label}: open this run in Explore` }, column.label);
  const tools = element("span", "tools");
  if (column.state === "busy") tools.append(tool("stop", "■", `Cancel ${column.label}`, () => send("stop", column.run)));
  else tools.append(tool("again", "↻", `Run ${column.label} again`, () => send("again", column.run)));
  tools.append(tool("drop", "×", `Take ${column.label} out of the comparison`, () => send("drop", column.run)));
  const figures = element("div", "figures");
  if (column.recall) {
    const recall = element("b", "", { title: `recall: ${column.counted}` }, column.recall);
    figures.append(element("span", "quiet", `R@${cut}`), recall);
  }
  if (column.best) figures.append(element("span", "change yes", "best"));
  if (column.baseline) figures.append(element("span", "quiet", "baseline"));
  else if (column.change) figures.append(element("span", `change ${column.change.tone}`, column.change.words));
  const facts = element("div", "quiet", column.facts);
  if (column.cached) {
    facts.append(element("span", "cached", `${column.facts ? " · " : ""}stored`));
    facts.title = "A stored run with the same question, settings and data. ↻ runs it again.";
  }
  made.append(element("div", "line-of-name", name, tools), figures, facts);
  if (column.warning) made.append(element("div", "warning", { title: column.warning }, column.warning));
  return made;
}

function ranks(data, where) {
  const made = [];
  for (let rank = 1; rank <= data.rows; rank += 1) {
    const number = element("span", `number${rank <= data.cut ? " within" : ""}`, String(rank));
    number.style.top = `${(rank - 1) * ROW}px`;
    made.push(number);
  }
  if (where.trace > where.bottom) {
    const more = element("span", "number", "…");
    more.style.top = `${where.bottom}px`;
    made.push(more);
  }
  return made;
}

function notice(column, at, data, where) {
  const made = element("div", `notice ${column.state}`, { role: "status", title: column.words }, column.words);
  made.style.cssText = `left:${where.x(at)}px;width:${where.pill}px;max-height:${data.rows * ROW}px`;
  return made;
}

const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

// The card an arrow key leads to: up and down in the column, left and right along the passage's own line.
function neighbour(key, from, cards, done) {
  const at = Number(from.dataset.column);
  const inside = cards.filter((one) => Number(one.dataset.column) === at);
  const place = inside.indexOf(from);
  if (key === "ArrowUp") return inside[place - 1];
  if (key === "ArrowDown") return inside[place + 1];
  if (key === "Home") return inside[0];
  if (key === "End") return inside[inside.length - 1];
  const next = done[done.indexOf(at) + (key === "ArrowLeft" ? -1 : 1)];
  const there = cards.filter((one) => Number(one.dataset.column) === next);
  return there.find((one) => one.dataset.key === from.dataset.key) ?? there[Math.min(place, there.length - 1)];
}

function listen(field, cards, done, show, select) {
  const card = (event) => event.target.closest("[data-key].pill");
  field.onpointerover = (event) => card(event) && show(card(event).dataset.key);
  field.onpointerleave = () => show(null);
  field.onfocusin = (event) => card(event) && show(card(event).dataset.key);
  field.onfocusout = () => show(null);
  field.onclick = (event) => card(event) && select(card(event).dataset.key);
  field.onkeydown = (event) => {
    const from = card(event);
    if (!from || !KEYS.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = neighbour(event.key, from, cards, done);
    if (!next) return;
    cards.forEach((one) => (one.tabIndex = -1));
    next.tabIndex = 0;
    next.focus();
  };
}

function render(root, component) {
  const { data, setStateValue, setTriggerValue } = component;
  const where = plan(data, root.clientWidth);
  const done = data.columns.flatMap((column, at) => (column.state === "done" && !column.words ? [at] : []));
  const held = root.getRootNode().activeElement?.closest?.(".pill")?.dataset;
  const heads = element("div", "heads");
  heads.style.cssText = `margin-left:${GUTTER}px;width:${where.width - GUTTER}px`;
  const send = (what, run) => setTriggerValue("act", { what, run });
  heads.append(...data.columns.map((column, at) => head(column, where, data.cut, at + 1 === data.columns.length, send)));
  const field = element("div", "field");
  field.style.cssText = `width:${where.width + 4}px;height:${where.height}px`;
  const picture = svg("svg", { width: where.width, height: where.height, "aria-hidden": "true" });
  const hot = svg("g", {});
  const cut = data.cut < data.rows ? [path(`M0,${data.cut * ROW} H${where.width}`, "cut")] : [];
  picture.append(...cut, ...data.passages.flatMap((one) => lines(one, data, where, done)), hot);
  const cards = done.flatMap((at) =>
    data.passages
      .filter((one) => height(one, at, data, where) !== null)
      .sort((a, b) => height(a, at, data, where) - height(b, at, data, where))
      .map((one) => card(one, at, data, where)),
  );
  const notices = data.columns.flatMap((column, at) => (column.words ? [notice(column, at, data, where)] : []));
  field.append(picture, ...ranks(data, where), ...cards, ...notices);
  root.replaceChildren(heads, field);
  const show = (key) => {
    const chosen = key ?? data.selected;
    field.classList.toggle("tracing", Boolean(key));
    cards.forEach((one) => one.classList.toggle("hot", one.dataset.key === chosen));
    trace(hot, chosen, data, where, done);
  };
  const select = (key) => {
    data.selected = key;
    cards.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.key === key)));
    setStateValue("selected", key);
  };
  listen(field, cards, done, show, select);
  const first = cards.find((one) => one.dataset.key === data.selected) ?? cards[0];
  if (first) first.tabIndex = 0;
  show(null);
  if (held) cards.find((one) => one.dataset.key === held.key && one.dataset.column === held.column)?.focus();
}

export default function (component) {
  ready(component.parentElement);
  const root = component.parentElement.querySelector(".aligned");
  const leave = redrawn(root, () => render(root, component));
  return leave;
}
