// A table whose cells lead into runs. Words are set as textContent only.

import { element } from "./dom.js";
import { follow } from "./pointing.js";

function address(go) {
  const step = go.step === null ? "" : `&step=${go.step}`;
  return `./explore?run=${encodeURIComponent(go.run)}${step}`;
}

function words(pieces) {
  const groups = [];
  for (const piece of pieces) {
    const word = element("span", `piece ${piece.tone}`, piece.text);
    word.dir = "auto";
    if (!piece.joined || !groups.length) groups.push(element("span", "group"));
    groups[groups.length - 1].append(word);
  }
  return groups.map((group) => (group.childElementCount > 1 ? group : group.firstChild));
}

function inside(cell, send) {
  const made = element(cell.go ? "a" : "span", "cell");
  made.append(...words(cell.pieces));
  if (cell.go) {
    made.href = address(cell.go);
    made.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab or window follows the address
      event.preventDefault();
      send(cell.go);
    });
  }
  return made;
}

function drawn(name, cell, send) {
  const made = element(name, cell.strong ? "strong" : "");
  if (name === "th") made.scope = "col";
  const words = cell.title || cell.pieces.map((piece) => piece.text).join(" ");
  made.title = cell.go ? `${words} (opens in Explore)` : words;
  made.append(inside(cell, send));
  return made;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".grid");
  const send = (go) => setTriggerValue("go", go);
  const row = (cells, name) => {
    const made = element("tr");
    made.append(...cells.map((cell) => drawn(name, cell, send)));
    return made;
  };
  const table = element("table", data.kind);
  table.style.setProperty("--columns", data.head.length);
  const head = element("thead");
  const body = element("tbody");
  head.append(row(data.head, "th"));
  body.append(...data.rows.map((cells) => row(cells, "td")));
  table.append(head, body);
  root.replaceChildren(table);
  follow(root);
}
