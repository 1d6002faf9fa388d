// What if: the ranking before and after as a bump chart. Words are set as textContent only.

import { curve, element, ready, svg } from "./dom.js";

const ROW = 38, GAP = 26;

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

function chart(data) {
  const lines = data.lines;
  const first = lines.filter((line) => shown(line.before, data));
  const then = lines.filter((line) => shown(line.after, data));
  const rows = Math.max(1, ...first.map((line) => line.before), ...then.map((line) => line.after));
  const height = top(rows, data.k) + ROW + 8;
  const heads = ["As run", "", data.right].map((words) => element("span", "", words));
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

export default function (component) {
  ready(component.parentElement);
  component.parentElement.querySelector(".what-if").replaceChildren(element("div", "picture", chart(component.data)));
}
