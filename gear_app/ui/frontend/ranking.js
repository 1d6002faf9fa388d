// A ranking: rank, passage, and the parts its score is the sum of. A row opens into its arithmetic; where the gold
// may be marked, every row has a checkbox. With "terms" every part has a column of its own, and a line below the first
// "cut" tells the near misses apart. Words are set as textContent only.

import { element } from "./dom.js";
import { offer } from "./picture.js";
import { follow } from "./pointing.js";

function bar(line) {
  const made = element("div", "bar");
  made.style.width = line.share ? `${Math.max(2, line.share * 100)}%` : 0;
  const parts = line.bar.length ? line.bar : [{ kind: "passage", value: 1, words: `score ${line.score}` }];
  for (const part of parts) {
    const piece = element("i", part.kind);
    piece.style.flexGrow = part.value * 1000; // below 1 in sum it would not fill the bar
    piece.title = part.words;
    made.append(piece);
  }
  return made;
}

function mark(line, markable, send) {
  const cell = element("td", "gold");
  if (!markable) {
    if (line.gold) {
      const star = element("span", "star", "★");
      star.setAttribute("role", "img");
      star.setAttribute("aria-label", "gold passage");
      cell.append(star);
    }
    return cell;
  }
  const box = element("input");
  box.type = "checkbox";
  box.checked = line.gold;
  box.setAttribute("aria-label", `gold: ${line.title.map((piece) => piece.text).join("")}`);
  box.addEventListener("click", (event) => event.stopPropagation());
  box.addEventListener("change", () => send({ key: line.key, gold: box.checked }));
  cell.append(box);
  return cell;
}

function row(line, data, select, send) {
  const made = element("tr", line.gold ? "is-gold" : "");
  const chosen = line.id === data.selected;
  const name = element("td", "title");
  const button = element("button", "");
  for (const piece of line.title) {
    const part = element("span", "", piece.text);
    if (piece.entity) part.dataset.entity = piece.entity;
    button.append(part);
  }
  button.type = "button";
  button.dir = "auto";
  button.setAttribute("aria-expanded", String(chosen));
  name.append(button);
  if (line.badge) name.append(element("span", "badge", line.badge));
  const parts = element("td", "parts");
  parts.append(bar(line));
  const numbers = (data.terms || []).map((_, place) => element("td", "number addend", line.numbers[place]));
  made.append(mark(line, data.markable, send), element("td", "rank", line.rank), name, parts, ...numbers, element("td", "score", line.score));
  if (data.terms) made.append(element("td", "number", line.before));
  if (data.terms && line.rank > data.cut) made.classList.add("missed");
  if (chosen) made.classList.add("chosen");
  made.addEventListener("click", () => select(line.id));
  return made;
}

function heads(data) {
  const names = [data.markable ? "gold" : "", "", "passage", "where the score came from"].map((name) => element("th", "", name));
  const terms = (data.terms || []).map((term) => {
    const made = element("th", "number addend");
    made.append(element("i", term.kind), document.createTextNode(term.name));
    made.title = term.words;
    return made;
  });
  const last = data.terms ? [element("th", "number", data.before)] : [];
  names[3].className = "parts";
  const made = [...names, ...terms, element("th", data.terms ? "number" : "", "score"), ...last];
  made.forEach((cell) => cell.setAttribute("scope", "col"));
  return made;
}

function across(className, text, data) {
  const made = element("tr", className);
  const cell = element("td", "", text);
  cell.colSpan = data.terms ? 6 + data.terms.length : 5;
  made.append(cell);
  return made;
}

// Below a term stands what its score in the list that it is from is made of.
function terms(parts) {
  return parts.flatMap((part) => {
    const term = element("div", "term");
    term.append(element("i", part.kind), document.createTextNode(part.words));
    const within = element("div", "within");
    within.append(...terms(part.within || []));
    return part.within?.length ? [term, within] : [term];
  });
}

function sum(line, data) {
  const made = across("sum", "", data);
  const cell = made.firstChild;
  cell.append(...terms(line.parts));
  cell.append(element("div", "term total", line.total));
  return made;
}

function legend(entries) {
  const made = element("div", "legend");
  for (const { kind, words } of entries) {
    const entry = element("span", "");
    entry.append(element("i", kind), document.createTextNode(words));
    made.append(entry);
  }
  return made;
}

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const root = parentElement.querySelector(".ranking");
  const held = root.getRootNode().activeElement?.closest?.("tr")?.dataset.id;
  const table = element("table", data.terms ? "wide" : "");
  const head = element("tr");
  head.append(...heads(data));
  table.append(head);
  for (const line of data.lines) {
    const made = row(line, data, (id) => setStateValue("selected", id), (value) => setTriggerValue("mark", value));
    made.dataset.id = line.id;
    table.append(made);
    if (line.id === data.selected && line.parts.length) table.append(sum(line, data));
    if (data.terms && line.rank === data.cut && data.lines.length > data.cut) table.append(across("cut", data.cut_words, data));
  }
  root.replaceChildren(...(data.legend.length ? [legend(data.legend)] : []), table);
  follow(root);
  offer(root, "ranking");
  if (held) root.querySelector(`tr[data-id="${CSS.escape(held)}"] button`)?.focus();
}
