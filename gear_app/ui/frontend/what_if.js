// What if: weights as sliders, and the ranking before and after as a bump chart. While a slider is dragged the ranking
// on the right is that of the same links with other weights, a sum for each passage; when it is let go the server makes
// the variant as a run is made. Words are set as textContent only.

import { curve, element, ready, svg } from "./dom.js";

const ROW = 38, GAP = 26, STEPS = 120;

// ---- the ranking that weights give to passages whose terms are known ----

function ranked(terms, weights) {
  const scored = terms.map((line, place) => {
    const score = line.values.reduce((sum, value, at) => sum + Math.round(value * weights[at] * 1e6), 0);
    return { line, score, place };
  });
  scored.sort((a, b) => b.score - a.score || a.place - b.place);
  return scored.map((one) => one.line);
}

function moved(data, weights) {
  const after = new Map(ranked(data.terms, weights).map((line, place) => [line.key, place + 1]));
  const known = new Map(data.lines.map((line) => [line.key, line]));
  for (const line of data.terms) if (!known.has(line.key)) known.set(line.key, line);
  return [...known.values()].map((line) => ({ ...line, after: after.get(line.key) ?? null }));
}

// A document's parts all stand for it: gold is counted by what it stands for.
function keepsGold(data, weights) {
  const there = ranked(data.terms, weights).slice(0, data.k).map((line) => line.gold).filter((name) => name);
  return new Set(there).size === data.gold;
}

function bands(data, weights, at) {
  const most = data.weights[at].most, found = [];
  for (let step = 0; step <= STEPS; step++) {
    const tried = weights.slice();
    tried[at] = (step / STEPS) * most;
    if (!keepsGold(data, tried)) continue;
    const last = found[found.length - 1];
    if (last && last[1] === step - 1) last[1] = step;
    else found.push([step, step]);
  }
  return found.map(([from, to]) => [from / STEPS, to / STEPS]);
}

function bandWords(found, most) {
  if (!found.length) return "";
  const say = (share) => String(Number((share * most).toPrecision(2)));
  if (found.length === 1 && found[0][0] === 0 && found[0][1] === 1) return "any value keeps all gold there";
  const told = found.map(([from, to]) => (from === 0 ? `up to ${say(to)}` : to === 1 ? `from ${say(from)} on` : `${say(from)} to ${say(to)}`));
  return `all gold there ${told.join(", and ")}`;
}

// ---- the chart ----

function top(rank, k) {
  return (rank - 1) * ROW + (rank > k ? GAP : 0);
}

const shown = (rank, data) => rank !== null && rank <= data.shown;

function kind(line, data) {
  if (line.gold) return "gold";
  const was = line.before !== null && line.before <= data.k, is = line.after !== null && line.after <= data.k;
  return was === is ? "plain" : is ? "in" : "out";
}

function card(line, rank, side, data) {
  const told = { "data-key": line.key, "data-rank": rank, title: line.title };
  const title = element("span", "title", { dir: "auto" }, `${line.gold ? "★ " : ""}${line.title}`);
  const made = element("div", `card ${kind(line, data)}`, told, element("b", "", rank), title);
  made.style.top = `${top(rank, data.k)}px`;
  if (side === "after") {
    const up = line.before === null ? null : line.before - rank;
    const told = up === null ? "new" : up > 0 ? `▲ ${up}` : up < 0 ? `▼ ${-up}` : "";
    if (told) made.append(element("span", "move", told));
  }
  return made;
}

function way(line, data, height) {
  const middle = (rank) => top(rank, data.k) + ROW / 2 - 3;
  const was = shown(line.before, data), is = shown(line.after, data);
  const from = was ? middle(line.before) : height, to = is ? middle(line.after) : height;
  const whole = was && is;
  const path = whole
    ? curve(0, from, 100, to)
    : was ? `M0 ${from} C 18 ${from} 24 ${to} 26 ${to}` : `M74 ${height} C 76 ${height} 82 ${to} 100 ${to}`;
  return svg("path", { d: path, class: `${kind(line, data)}${whole ? "" : " beyond"}` });
}

// Those whose one rank is shown and whose other is not, with that.
function beyond(lines, data) {
  const told = (here, there, way) => lines
    .filter((line) => shown(line[here], data) && !shown(line[there], data))
    .map((line) => `${line.gold ? "★ " : ""}${line.title} (${line[there] === null ? "no rank" : `${way} ${line[there]}`})`)
    .join(", ");
  const out = told("before", "after", "to"), came = told("after", "before", "from");
  const leave = element("span", "", out && `leave the first ${data.shown}: ${out}`);
  return element("div", "beyond", leave, element("span", "", came && `come from further down: ${came}`));
}

function chart(data, lines, dragged) {
  const first = lines.filter((line) => shown(line.before, data));
  const then = lines.filter((line) => shown(line.after, data));
  const rows = Math.max(1, ...first.map((line) => line.before), ...then.map((line) => line.after));
  const height = top(rows, data.k) + ROW + 8;
  const heads = ["As run", "", dragged ? "The same links, weighed anew" : data.right].map((words) => element("span", "", words));
  const body = element("div", "body");
  body.style.height = `${height}px`;
  const left = first.sort((a, b) => a.before - b.before).map((line) => card(line, line.before, "before", data));
  const right = then.sort((a, b) => a.after - b.after).map((line) => card(line, line.after, "after", data));
  const picture = svg("svg", { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  picture.style.height = `${height}px`; // a percentage of a grid's row is the picture's own size
  const order = { plain: 0, out: 1, in: 2, gold: 3 };
  const visible = lines.filter((line) => first.includes(line) || then.includes(line));
  visible.sort((a, b) => order[kind(a, data)] - order[kind(b, data)]);
  picture.append(...visible.map((line) => way(line, data, height)));
  body.append(element("div", "side", ...left), picture, element("div", "side", ...right));
  if (rows > data.k) {
    const cut = element("div", "cut", element("span", "", `the first ${data.k} end here`));
    cut.style.top = `${top(data.k, data.k) + ROW + GAP / 2 - 5}px`;
    body.append(cut);
  }
  return element("div", "chart", element("div", "heads", ...heads), body, beyond(lines, data));
}

// ---- the sliders ----

function slider(data, at, state, redraw, send) {
  const weight = data.weights[at];
  const value = element("output");
  const head = element("label", "head", element("b", "", weight.term), element("span", "", weight.words), value);
  const scale = { type: "range", min: 0, max: weight.most, step: weight.step, value: state.weights[at] };
  const range = element("input", "", scale, { "aria-label": `weight of ${weight.term}` });
  const ghost = element("i", "ghost", { title: `the run's: ${weight.own}` });
  ghost.style.left = `calc(8px + (100% - 16px) * ${Math.min(1, weight.own / weight.most)})`;
  const track = element("div", "track", ghost, range);
  const band = element("div", "band"), words = element("div", "band-words");
  const made = element("div", "weight", head, track, band, words);
  const told = () => {
    value.textContent = Number(state.weights[at]) === weight.own ? String(weight.own) : `${weight.own} → ${state.weights[at]}`;
    value.classList.toggle("turned", Number(state.weights[at]) !== weight.own);
  };
  const turn = (to) => {
    state.weights[at] = Number(to);
    told();
    redraw(true);
  };
  range.addEventListener("input", () => turn(range.value));
  range.addEventListener("change", () => send());
  made.addEventListener("dblclick", () => {
    range.value = weight.own;
    turn(weight.own);
    send();
  });
  told();
  const shade = () => {
    if (!data.gold || !data.terms.length) return;
    const found = bands(data, state.weights, at);
    band.replaceChildren(...found.map(([from, to]) => {
      const piece = element("i", "");
      piece.style.left = `${from * 100}%`;
      piece.style.width = `${Math.max(1, (to - from) * 100)}%`;
      return piece;
    }));
    words.textContent = bandWords(found, weight.most);
  };
  return { made, shade };
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".what-if");
  const focused = root.getRootNode().activeElement?.getAttribute?.("aria-label");
  const state = { weights: data.weights.map((weight) => weight.now) };
  const place = element("div", "picture");
  const redraw = (dragged) => {
    const lines = dragged && data.terms.length ? moved(data, state.weights) : data.lines;
    place.replaceChildren(chart(data, lines, dragged && data.terms.length > 0));
  };
  const send = () => setTriggerValue("weights", Object.fromEntries(data.weights.map((weight, at) => [weight.name, state.weights[at]])));
  redraw(false);
  root.classList.toggle("weighed", data.weights.length > 0);
  if (!data.weights.length) {
    root.replaceChildren(place);
    return;
  }
  const sliders = data.weights.map((_, at) => slider(data, at, state, redraw, send));
  const list = element("div", "weights", element("p", "note", data.note), ...sliders.map((one) => one.made));
  root.replaceChildren(list, element("div", "drawing", place));
  sliders.forEach((one) => one.shade());
  if (focused) root.querySelector(`input[aria-label="${CSS.escape(focused)}"]`)?.focus();
}
