// A step that fills the screen, for a hall. Its cards are covered until R uncovers the next one or A all of them; what is
// covered is not in the page, no line leads to it, and the heading comes with the last card. The dialog is modal: the
// rest of the page is out of reach, also for screen readers. Words come as data and are set as textContent only.

const SVG = "http://www.w3.org/2000/svg";
const FADE_MS = 5000;
const uncovered = new Map(); // by run and step: how many cards, for those who come back to a step

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

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
  const made = element("div", `card ${card.kind}`);
  made.dir = "auto";
  const head = element("div", "head");
  if (card.lead) head.append(element("span", "lead", card.lead));
  if (card.star) {
    const star = element("span", "star", "★");
    star.setAttribute("role", "img");
    star.setAttribute("aria-label", "gold passage");
    head.append(star);
  }
  const title = element("b");
  title.append(card.marked ? element("mark", "", card.title) : card.title);
  head.append(title);
  if (card.note) head.append(element("span", "note", card.note));
  made.append(head);
  if (card.pieces.length) {
    const words = element("p", "words");
    words.append(...card.pieces.map(([text, mark]) => (mark ? element(mark, "", text) : document.createTextNode(text))));
    made.append(words);
  }
  if (card.text) made.append(element("p", card.pieces.length ? "because" : "words", card.text));
  return made;
}

function drawn_card(card, seen, ask) {
  if (seen.ids.has(card.id)) return open_card(card);
  const next = card.id === seen.next;
  const made = element("div", next ? "card cover next" : "card cover", next ? ask : "");
  if (!next) made.setAttribute("aria-hidden", "true");
  return made;
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
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("aria-hidden", "true");
  const place = (id) => stage.querySelector(`[data-card="${CSS.escape(id)}"]`)?.getBoundingClientRect();
  for (const card of data.columns.flatMap((column) => column.cards)) {
    for (const parent of card.parents) {
      const [from, to] = [place(parent), place(card.id)];
      if (!from || !to || from.right > to.left || !seen.ids.has(card.id) || !seen.ids.has(parent)) continue;
      const [x1, y1] = [from.right - frame.left, from.top + from.height / 2 - frame.top];
      const [x2, y2] = [to.left - frame.left, to.top + to.height / 2 - frame.top];
      const bend = (x2 - x1) / 2;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`);
      path.setAttribute("class", `line ${card.kind}`);
      picture.append(path);
    }
  }
  stage.prepend(picture);
}

const HINTS = [["R", "reveal"], ["A", "all"], ["← →", "step"], ["1–8", "stage"], ["P or Esc", "leave"]]; // the last is a button

function footer(data, go, leave) {
  const made = element("footer");
  const dots = element("div", "dots");
  for (const dot of data.dots) {
    const one = element("button", dot.number < data.number ? "past" : "");
    one.type = "button";
    one.tabIndex = -1;
    one.title = dot.label;
    one.setAttribute("aria-label", `${dot.label}, step ${dot.number + 1}`);
    if (dot.number === data.number) one.setAttribute("aria-current", "step");
    one.addEventListener("click", () => go(dot.number));
    dots.append(one);
  }
  const keys = element("div", "keys");
  for (const [key, words] of HINTS) {
    const hint = element(words === "leave" ? "button" : "span");
    if (words === "leave") {
      hint.type = "button";
      hint.addEventListener("click", leave);
    }
    const parts = key.split(" ").map((one) => (one === "or" ? element("span", "", one) : element("kbd", "", one)));
    hint.append(...parts, document.createTextNode(words));
    keys.append(hint);
  }
  made.append(dots, element("span", "place", data.place), keys);
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
  const stage = element("div", "stage");
  stage.dataset.step = data.number;
  stage.append(...data.columns.map((column) => drawn_column(column, seen)));
  stage.style.setProperty("--columns", Math.max(1, data.columns.length));
  return stage;
}

function drawn_heading(words, className) {
  const heading = element("h2", className, words);
  heading.dir = "auto";
  return heading;
}

// Everything uncovered is measured first and taken away again before it is painted: nothing moves or changes its size
// when a card is uncovered.
function render(dialog, data, go, leave) {
  const seen = seen_cards(data);
  dialog.classList.remove("tight", "tighter");
  const asked = element("p", "question", data.question);
  asked.dir = "auto";
  const top = dialog.querySelector("header") || element("header");
  top.setAttribute("aria-live", "polite");
  const longer = data.heading.length > data.prompt.length ? data.heading : data.prompt;
  top.replaceChildren(asked, drawn_heading(longer, ""));
  const all = drawn_stage(data, { ids: new Set(data.columns.flatMap((column) => column.cards.map((card) => card.id))) });
  dialog.replaceChildren(top, all, footer(data, go, leave));
  fit(dialog, all);
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
  switch (key.toLowerCase()) {
    case "arrowleft":
    case "pageup": // what a clicker sends
      return { go: data.number - 1 };
    case "arrowright":
    case "pagedown":
      return { go: data.number + 1 };
    case "r":
    case " ":
      return { reveal: 1 };
    case "a":
      return { reveal: Infinity };
    case "p":
    case "escape":
      return { leave: true };
    default:
      return undefined;
  }
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

function redraw() {
  if (now?.dialog.isConnected) render(now.dialog, now.data, now.go, now.leave);
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
  const { data, parentElement, setTriggerValue } = component;
  const dialog = parentElement.querySelector("dialog");
  const go = (number) => {
    if (number >= 0 && number < data.count && number !== data.number) setTriggerValue("go", number);
  };
  const leave = () => {
    dialog.close();
    setTriggerValue("leave", true);
  };
  now = { dialog, data, go, leave };
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
