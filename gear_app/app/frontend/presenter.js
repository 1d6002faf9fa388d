// A step that fills the screen, for a hall. Its cards are covered until R uncovers the next one or A all of them; no line
// leads to a covered card, and the heading comes with the last one. The dialog is modal: the rest of the page is out of
// reach, also for screen readers. Words come as data and are set as textContent only.

import { button, curve, element, ready, svg } from "./dom.js";

const FADE_MS = 5000;
const uncovered = new Map(); // by run and step: how many cards, for those who come back to a step
const key_of = (data) => `${data.run} ${data.number}`;

function drawn_card(card, ask) {
  const head = element("div", "head");
  if (card.lead) head.append(element("span", "lead", card.lead));
  if (card.star) head.append(element("span", "star", { role: "img", "aria-label": "gold passage" }, "★"));
  head.append(element("b", "", card.marked ? element("mark", "", card.title) : card.title));
  if (card.note) head.append(element("span", "note", card.note));
  const made = element("div", `card ${card.kind}`, { dir: "auto", "data-card": card.id, "data-ask": card.uncovered ? "" : ask }, head);
  if (card.pieces.length) made.append(element("p", "words", ...card.pieces.map(([text, mark]) => (mark ? element(mark, "", text) : text))));
  if (card.text) made.append(element("p", card.pieces.length ? "because" : "words", card.text));
  return made;
}

function drawn_column(column) {
  const name = column.name && element("h3", "", column.name);
  const more = column.more ? element("p", "more", `+${column.more} more in Explore`) : "";
  return element("section", column.roomy ? "column roomy" : "column", name, ...column.cards.map((card) => drawn_card(card, column.ask)), more);
}

// Lines between cards of neighbouring columns, neither of which is covered.
function lines(stage, data) {
  const frame = stage.getBoundingClientRect();
  const picture = svg("svg", { "aria-hidden": "true" });
  const place = (id) => stage.querySelector(`[data-card="${CSS.escape(id)}"]:not(.cover)`)?.getBoundingClientRect();
  for (const card of data.columns.flatMap((column) => column.cards)) {
    for (const parent of card.parents) {
      const [from, to] = [place(parent), place(card.id)];
      if (!from || !to || from.right > to.left) continue;
      const [x1, y1] = [from.right - frame.left, from.top + from.height / 2 - frame.top];
      const [x2, y2] = [to.left - frame.left, to.top + to.height / 2 - frame.top];
      picture.append(svg("path", { d: curve(x1, y1, x2, y2), class: `line ${card.kind}` }));
    }
  }
  stage.prepend(picture);
}

const KEYS = [["R", "reveal", "Reveal the next card"], ["A", "all", "Reveal all cards"], ["←", "back", "Previous step"], ["→", "on", "Next step"]];

// `acts` are what its buttons do.
function footer(data, acts) {
  const dots = data.dots.map((dot) => {
    const current = dot.number === data.number ? { "aria-current": "step" } : {};
    const told = { title: dot.label, "aria-label": `${dot.label}, step ${dot.number + 1}`, tabindex: -1, ...current };
    return button(dot.number < data.number ? "past" : "", () => acts.go(dot.number), told);
  });
  const keys = KEYS.map(([key, act, name]) => button("", acts[act], { title: name, "aria-label": name }, element("kbd", "", key)));
  const stages = element("span", "", element("kbd", "", "1–8"), "stage");
  const leave = button("", acts.leave, element("kbd", "", "P"), "or", element("kbd", "", "Esc"), "leave");
  return element("footer", "", element("div", "dots", ...dots), element("span", "place", data.place), element("div", "keys", ...keys, stages, leave));
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

// All is drawn and measured uncovered: nothing moves or changes its size when a card is uncovered.
function render(dialog, data, acts) {
  dialog.classList.remove("tight", "tighter");
  const top = dialog.querySelector("header") || element("header", "", { "aria-live": "polite" });
  const longer = data.heading.length > data.prompt.length ? data.heading : data.prompt;
  const heading = element("h2", "", { dir: "auto" }, longer);
  const stage = element("div", "stage", { "data-step": data.number }, ...data.columns.map(drawn_column));
  stage.style.setProperty("--columns", Math.max(1, data.columns.length));
  top.style.minHeight = "";
  top.replaceChildren(element("p", "question", { dir: "auto" }, data.question), heading);
  dialog.replaceChildren(top, stage, footer(data, acts));
  if (!dialog.classList.contains("scrolls")) fit(dialog, stage);
  top.style.minHeight = `${top.offsetHeight}px`;
  const cards = [...stage.querySelectorAll("[data-ask]:not([data-ask=''])")];
  const shown = uncovered.get(key_of(data)) || 0;
  cards.forEach((card, at) => card.classList.toggle("cover", at >= shown));
  cards[shown]?.classList.add("next");
  heading.textContent = shown < cards.length ? data.prompt : data.heading;
  heading.className = shown < cards.length ? "prompt" : "";
  lines(stage, data);
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
  const key = key_of(now.data);
  const most = now.data.columns.flatMap((column) => column.cards).length;
  uncovered.set(key, Math.min(most, (uncovered.get(key) || 0) + many));
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
