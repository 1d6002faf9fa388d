// A searchable table to pick a row from: a field for words, a box for each column that can be filtered, and rows whose
// first cell is a button. All rows are here, so filtering asks nobody; the first "shown" of them are drawn. Words are set
// as textContent only.

import { element, ready } from "./dom.js";

function labelled(text, field) {
  return element("label", "", text, field);
}

function choice(column, rows, wanted) {
  const field = element("select");
  field.append(new Option("all", ""));
  const values = [...new Set(rows.map((row) => row.cells[column.place]))].filter((value) => value !== "");
  values.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  values.forEach((value) => field.append(new Option(value, value)));
  if (values.includes(wanted)) field.value = wanted;
  return field;
}

function line(row, columns, pick) {
  const cells = columns.map((column, place) => {
    const words = row.cells[place];
    const inside = place === 0 ? element("button", "", { type: "button", dir: "auto" }, words) : words;
    return element("td", column.kind, { "data-name": column.name }, inside); // a narrow screen has no heads: told before it
  });
  const made = element("tr", "", { "data-id": row.id }, ...cells);
  made.addEventListener("click", () => pick(row.id));
  return made;
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".picker");
  const show = (id) => root.querySelectorAll("tbody tr").forEach((row) => row.classList.toggle("here", row.dataset.id === id));
  if (root.childElementCount) return show(data.chosen); // what was typed stays
  const pick = (id) => {
    show(id);
    setTriggerValue("pick", id);
  };
  const search = element("input", "", { type: "search", placeholder: data.placeholder, "aria-label": data.placeholder });
  const columns = data.columns.map((column, place) => ({ ...column, place }));
  const filters = columns.filter((column) => column.filter).map((column) => ({ column, field: choice(column, data.rows, column.wanted) }));
  const hidden = element("input", "", { type: "checkbox" });
  const bar = element("div", "bar", search, ...filters.map(({ column, field }) => labelled(column.name, field)));
  if (data.rows.some((row) => row.hidden)) bar.append(labelled(data.hidden, hidden));
  const told = element("p", "told", { role: "status" });
  const heads = columns.map((column) => element("th", column.kind, { scope: "col" }, column.name));
  const body = element("tbody");
  const table = element("table", "", element("thead", "", element("tr", "", ...heads)), body);
  const rows = data.rows.map((row) => ({ ...row, text: row.cells.join("\n").toLocaleLowerCase() }));

  function draw() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const matching = rows.filter(
      (row) =>
        (hidden.checked || !row.hidden) &&
        filters.every(({ column, field }) => !field.value || row.cells[column.place] === field.value) &&
        words.every((word) => row.text.includes(word)),
    );
    body.replaceChildren(...matching.slice(0, data.shown).map((row) => line(row, columns, pick)));
    const cut = matching.length > data.shown ? `, the first ${data.shown} are shown` : "";
    show(data.chosen);
    told.textContent = `${matching.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}${cut}`;
  }

  root.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [search, ...body.querySelectorAll("button")];
    const active = root.getRootNode().activeElement;
    const place = stops.indexOf(active);
    if (place < 0) return;
    event.preventDefault();
    event.stopPropagation();
    stops[Math.min(Math.max(place + (event.key === "ArrowDown" ? 1 : -1), 0), stops.length - 1)].focus();
  });
  search.addEventListener("input", draw);
  [hidden, ...filters.map(({ field }) => field)].forEach((field) => field.addEventListener("change", draw));
  root.append(bar, told, element("div", "rows", table));
  draw();
  if (!data.chosen) search.focus();
}
