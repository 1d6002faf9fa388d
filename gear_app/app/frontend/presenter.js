// A step that fills the screen, for a hall. Its cards are covered until R uncovers the next one or A all of them; what is
// covered is not in the page, no line leads to it, and the heading comes with the last card. The dialog is modal: the
// rest of the page is out of reach, also for screen readers. Words come as data and are set as textContent only.

import { button, curve, element, ready, svg } from "./dom.js";

const FADE_MS = 5000;
const uncovered = new Map(); // by run and step: how many cards, for those who come back to a step

function covered_cards(data) {
  return data.columns.flatMap((column) => column.cards.filter((card) => !card.given));
}

function seen_cards(data) {
  const shown = uncovered.get(`${data.run} ${data.number}`) || 0;
  const all = covered_cards(data);
  const given = data.columns.flatMap((column) => column.cards.filter((card) => card.given));
  return {
    ids: new Set([...given, ...all.slice(0, shown)].map((card) => card.id)),
    next: all[shown]?.id,
    done: shown >= all.length,
  };
}

function open_card(card) {
  const head = element("div", "head");
  if (card.lead) head.append(element("span", "lead", card.lead));
  if (card.star) head.append(element("span", "star", { role: "img", "aria-label": "gold passage" }, "★"));
  head.append(element("b", "", card.marked ? element("mark", "", card.title) : card.title));
  if (card.note) head.append(element("span", "note", card.note));
  const made = element("div", `card ${card.kind}`, { dir: "auto" }, head);
  if (card.pieces.length) made.append(element("p", "words", ...card.pieces.map(([text, mark]) => (mark ? element(mark, "", text) : text))));
  if (card.text) made.append(element("p", card.pieces.length ? "because" : "words", card.text));
  return made;
}

function drawn_card(card, seen, ask) {
  if (seen.ids.has(card.id)) return open_card(card);
  const next = card.id === seen.next;
  return next ? element("div", "card cover next", ask) : element("div", "card cover", { "aria-hidden": "true" });
}

function drawn_column(column, seen) {
  const made = element("section", column.roomy ? "column roomy" : "column");
  if (column.name) made.append(element("h3", "", column.name));
  const cards = column.cards.map((card) => {
    const one = drawn_card(card, seen, column.ask);
    one.dataset.card = card.id;
    return one;
  });
  made.append(...cards);
  if (column.more) made.append(element("p", "more", `+${column.more} more in Explore`));
  return made;
}

// Lines between cards of neighbouring columns, both of which are seen.
function lines(stage, data, seen) {
  const frame = stage.getBoundingClientRect();
  const picture = svg("svg", { "aria-hidden": "true" });
  const place = (id) => stage.querySelector(`[data-card="${CSS.escape(id)}"]`)?.getBoundingClientRect();
  for (const card of data.columns.flatMap((column) => column.cards)) {
    for (const parent of card.parents) {
      const [from, to] = [place(parent), place(card.id)];
      if (!from || !to || from.right > to.left || !seen.ids.has(card.id) || !seen.ids.has(parent)) continue;
      const [x1, y1] = [from.right - frame.left, from.top + from.height / 2 - frame.top];
      const [x2, y2] = [to.left - frame.left, to.top + to.height / 2 - frame.top];
      picture.append(svg("path", { d: curve(x1, y1, x2, y2), class: `line ${card.kind}` }));
    }
  }
  stage.prepend(picture);
}

const REVEALING = [["R", "reveal", "reveal", "Reveal the next card"], ["A", "all", "all", "Reveal all cards"]];
const STEPPING = [["←", "", "back", "Previous step"], ["→", "", "on", "Next step"]]; // for fingers
const HINTS = [["← →", "step"], ["1–8", "stage"]];
const LEAVING = ["P or Esc", "leave", "leave", "Leave"];

function hint(key, words) {
  return [...key.split(" ").map((one) => element(one === "or" ? "span" : "kbd", "", one)), words];
}

// `acts` are what its buttons do.
function footer(data, acts) {
  const made = element("footer");
  const dots = element("div", "dots");
  for (const dot of data.dots) {
    const told = { title: dot.label, "aria-label": `${dot.label}, step ${dot.number + 1}`, tabindex: -1 };
    if (dot.number === data.number) told["aria-current"] = "step";
    dots.append(button(dot.number < data.number ? "past" : "", () => acts.go(dot.number), told));
  }
  const pressed = ([key, words, act, name], className = "") => button(className, acts[act], { title: name, "aria-label": name }, ...hint(key, words));
  const keys = [
    ...REVEALING.map((one) => pressed(one)),
    ...STEPPING.map((one) => pressed(one, "touch")),
    ...HINTS.map(([key, words]) => element("span", "", ...hint(key, words))),
    pressed(LEAVING),
  ];
  made.append(dots, element("span", "place", data.place), element("div", "keys", ...keys));
  return made;
}

const LARGEST = 1.55; // of the type on the cards, in em of the screen's; 1 is what a full screen has
const STEP = 0.05;

function fits(stage) {
  const words = [...stage.querySelectorAll("b, .words, .because")];
  return stage.scrollHeight <= stage.clientHeight + 1 && words.every((one) => one.scrollWidth <= one.clientWidth + 1);
}

// As large as all that the step has fits when it is uncovered, lines broken. Too much for the screen: lines are cut, then
// less space, then no words of second rank. Titles keep their size.
function fit(dialog, stage) {
  stage.classList.add("loose");
  for (let size = LARGEST; size > 1 - STEP / 2; size -= STEP) {
    stage.style.fontSize = `${size}em`;
    if (fits(stage)) return;
  }
  stage.classList.remove("loose");
  stage.style.fontSize = "";
  for (const kind of ["tight", "tighter"]) {
    if (stage.scrollHeight <= stage.clientHeight + 1) return;
    dialog.classList.add(kind);
  }
}

function drawn_stage(data, seen) {
  const stage = element("div", "stage", { "data-step": data.number }, ...data.columns.map((column) => drawn_column(column, seen)));
  stage.style.setProperty("--columns", Math.max(1, data.columns.length));
  return stage;
}

const drawn_heading = (words, className) => element("h2", className, { dir: "auto" }, words);

// Everything uncovered is measured first and taken away again before it is painted: nothing moves or changes its size
// when a card is uncovered.
function render(dialog, data, acts) {
  const seen = seen_cards(data);
  dialog.classList.remove("tight", "tighter");
  const asked = element("p", "question", { dir: "auto" }, data.question);
  const top = dialog.querySelector("header") || element("header");
  top.setAttribute("aria-live", "polite");
  const longer = data.heading.length > data.prompt.length ? data.heading : data.prompt;
  top.replaceChildren(asked, drawn_heading(longer, ""));
  const all = drawn_stage(data, { ids: new Set(data.columns.flatMap((column) => column.cards.map((card) => card.id))) });
  dialog.replaceChildren(top, all, footer(data, acts));
  if (!dialog.classList.contains("scrolls")) fit(dialog, all);
  const stage = drawn_stage(data, seen);
  stage.className = all.className;
  stage.style.fontSize = all.style.fontSize;
  for (const card of stage.querySelectorAll("[data-card]")) {
    const height = all.querySelector(`[data-card="${CSS.escape(card.dataset.card)}"]`).offsetHeight;
    card.style.minHeight = `${height}px`;
  }
  top.replaceChildren(asked, seen.done ? drawn_heading(data.heading, "") : drawn_heading(data.prompt, "prompt"));
  all.replaceWith(stage);
  lines(stage, data, seen);
}

function action(key, data) {
  const stage = /^[1-9]$/.test(key) ? data.stages[Number(key) - 1] : undefined;
  if (stage) return { go: stage.number };
  const back = { go: data.number - 1 };
  const on = { go: data.number + 1 };
  // Page Up and Page Down are what a clicker sends.
  const steps = { arrowleft: back, pageup: back, arrowright: on, pagedown: on };
  const others = { r: { reveal: 1 }, " ": { reveal: 1 }, a: { reveal: Infinity }, p: { leave: true }, escape: { leave: true } };
  return steps[key.toLowerCase()] || others[key.toLowerCase()];
}

const faders = new WeakMap();

function awake(dialog) {
  dialog.classList.remove("quiet");
  clearTimeout(faders.get(dialog));
  faders.set(dialog, setTimeout(() => dialog.classList.add("quiet"), FADE_MS));
}

// Streamlit calls the component again for new data, and the function that it returns only when it is gone: one listener
// for all of them, which knows the newest.
let now;
const narrow = matchMedia("(max-width: 800px)"); // the columns are under each other, and are scrolled

function redraw() {
  if (!now?.dialog.isConnected) return;
  now.dialog.classList.toggle("scrolls", narrow.matches);
  render(now.dialog, now.data, now);
}

function uncover(many) {
  const key = `${now.data.run} ${now.data.number}`;
  uncovered.set(key, Math.min(covered_cards(now.data).length, (uncovered.get(key) || 0) + many));
  redraw();
}

// Before anything of the page hears of the key: Streamlit would run the page anew for R, and step for an arrow.
function pressed(event) {
  if (!now?.dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.composedPath()[0];
  if (target.matches?.("input, textarea, select, [contenteditable]")) return;
  if ((event.key === " " || event.key === "Enter") && target.closest?.("button")) return;
  const wanted = action(event.key, now.data);
  event.stopImmediatePropagation();
  if (!wanted) return;
  event.preventDefault();
  awake(now.dialog);
  if (wanted.leave) now.leave();
  else if (wanted.reveal) uncover(wanted.reveal);
  else now.go(wanted.go);
}

window.addEventListener("keydown", pressed, true);
const sized = new ResizeObserver(redraw);

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  const dialog = parentElement.querySelector("dialog");
  const go = (number) => {
    if (number >= 0 && number < data.count && number !== data.number) setTriggerValue("go", number);
  };
  const leave = () => {
    dialog.close();
    setTriggerValue("leave", true);
  };
  const acts = {
    leave,
    reveal: () => uncover(1),
    all: () => uncover(Infinity),
    back: () => go(data.number - 1),
    on: () => go(data.number + 1),
  };
  now = { ...acts, dialog, data, go };
  dialog.oncancel = (event) => event.preventDefault(); // Escape is one of the keys above
  dialog.onmousemove = () => awake(dialog);
  if (!dialog.open) {
    dialog.showModal();
    awake(dialog);
    sized.observe(dialog); // what was measured before styles and fonts are there does not hold
    document.fonts.ready.then(redraw);
  }
  redraw();
  return () => {
    sized.unobserve(dialog);
    if (now?.dialog === dialog) now = undefined;
  };
}
