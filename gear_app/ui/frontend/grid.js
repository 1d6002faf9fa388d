// A table whose cells lead into runs. Words are set as textContent only.

import { element, link, ready } from "./dom.js";
import { follow } from "./pointing.js";

function address(go) {
  const step = go.step === null ? "" : `&step=${go.step}`;
  return `./explore?run=${encodeURIComponent(go.run)}${step}`;
}

function words(pieces) {
  const groups = [];
  for (const piece of pieces) {
    const word = element("span", `piece ${piece.tone}`, { dir: "auto" }, piece.text);
    if (!piece.joined || !groups.length) groups.push(element("span", "group"));
    groups[groups.length - 1].append(word);
  }
  return groups.map((group) => (group.childElementCount > 1 ? group : group.firstChild));
}

function inside(cell, send) {
  const pieces = words(cell.pieces);
  return cell.go ? link("cell", address(cell.go), () => send(cell.go), ...pieces) : element("span", "cell", ...pieces);
}

function drawn(name, cell, send) {
  const words = cell.title || cell.pieces.map((piece) => piece.text).join(" ");
  const title = cell.go ? `${words} (opens in Explore)` : words;
  return element(name, cell.strong ? "strong" : "", { title, ...(name === "th" ? { scope: "col" } : {}) }, inside(cell, send));
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".grid");
  const send = (go) => setTriggerValue("go", go);
  const row = (cells, name) => element("tr", "", ...cells.map((cell) => drawn(name, cell, send)));
  const body = element("tbody", "", ...data.rows.map((cells) => row(cells, "td")));
  const table = element("table", data.kind, element("thead", "", row(data.head, "th")), body);
  table.style.setProperty("--columns", data.head.length);
  root.replaceChildren(table);
  follow(root);
}
