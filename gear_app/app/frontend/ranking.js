// A ranking: rank, passage, and the parts its score is the sum of. A row opens into its arithmetic; where the gold
// may be marked, every row has a checkbox. Words are set as textContent only.

import { element, ready } from "./dom.js";
import { follow } from "./pointing.js";

function bar(line) {
  const made = element("div", "bar");
  made.style.width = line.share ? `${Math.max(2, line.share * 100)}%` : 0;
  const parts = line.bar.length ? line.bar : [{ kind: "passage", value: 1, words: `score ${line.score}` }];
  for (const part of parts) {
    const piece = element("i", part.kind, { title: part.words });
    piece.style.flexGrow = part.value * 1000; // below 1 in sum it would not fill the bar
    made.append(piece);
  }
  return made;
}

function mark(line, markable, send) {
  if (!markable) return element("td", "gold", line.gold ? element("span", "star", { role: "img", "aria-label": "gold passage" }, "★") : "");
  const box = element("input", "", { type: "checkbox", "aria-label": `gold: ${line.title.map((piece) => piece.text).join("")}` });
  box.checked = line.gold;
  box.addEventListener("click", (event) => event.stopPropagation());
  box.addEventListener("change", () => send({ key: line.key, gold: box.checked }));
  return element("td", "gold", box);
}

function row(line, data, select, send) {
  const made = element("tr", line.gold ? "is-gold" : "");
  const chosen = line.id === data.selected;
  const pieces = line.title.map(({ text, entity }) => element("span", "", entity ? { "data-entity": entity } : undefined, text));
  const opener = element("button", "", { type: "button", dir: "auto", "aria-expanded": chosen }, ...pieces);
  const name = element("td", "title", opener, line.badge ? element("span", "badge", line.badge) : "");
  const parts = element("td", "parts", bar(line));
  made.append(mark(line, data.markable, send), element("td", "rank", line.rank), name, parts, element("td", "score", line.score));
  if (chosen) made.classList.add("chosen");
  made.addEventListener("click", () => select(line.id));
  return made;
}

function heads(data) {
  const names = [data.markable ? "gold" : "", "", "passage", "where the score came from"].map((name) => element("th", "", name));
  names[3].className = "parts";
  const made = [...names, element("th", "", "score")];
  made.forEach((cell) => cell.setAttribute("scope", "col"));
  return made;
}

// Below a term stands what its score in the list that it is from is made of.
function terms(parts) {
  return parts.flatMap((part) => {
    const term = element("div", "term", element("i", part.kind), part.words);
    return part.within?.length ? [term, element("div", "within", ...terms(part.within))] : [term];
  });
}

function sum(line) {
  return element("tr", "sum", element("td", "", { colspan: 5 }, ...terms(line.parts), element("div", "term total", line.total)));
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const root = parentElement.querySelector(".ranking");
  const held = root.getRootNode().activeElement?.closest?.("tr")?.dataset.id;
  const table = element("table", "", element("tr", "", ...heads(data)));
  for (const line of data.lines) {
    const made = row(line, data, (id) => setStateValue("selected", id), (value) => setTriggerValue("mark", value));
    made.dataset.id = line.id;
    table.append(made);
    if (line.id === data.selected && line.parts.length) table.append(sum(line));
  }
  const legend = data.legend.map(({ kind, words }) => element("span", "", element("i", kind), words));
  root.replaceChildren(...(legend.length ? [element("div", "legend", ...legend)] : []), table);
  follow(root);
  if (held) root.querySelector(`tr[data-id="${CSS.escape(held)}"] button`)?.focus();
}
