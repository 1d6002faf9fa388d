// What pointing does on a whole page. An entity that is pointed at or reached by Tab lights up wherever its name stands;
// a click or Enter keeps it lit until Escape or a second click. A term of ours that is pointed at, tapped or reached by
// Tab shows what it means. Names are known by data-entity, terms by data-explained; nothing is looked for in the page:
// one rule of a style sheet, which the page and every component share, lights all names at once.

import { element } from "./dom.js";

const STATE = Symbol.for("gear.pointing");

const MARK = "background:color-mix(in srgb,var(--gear-text) 18%,transparent);border-radius:3px;"
  + "text-decoration:underline;text-decoration-thickness:2px;text-underline-offset:3px;";

function light(state) {
  const names = [...new Set([...state.pointed, state.kept].filter(Boolean))];
  const lit = names.map((name) => `[data-entity="${CSS.escape(name)}"]`).join(",");
  state.sheet.replaceSync(lit && `${lit}{${MARK}}`);
}

// The element that an event is about, also one inside a component.
function inside(event, selector) {
  return event.composedPath().find((one) => one.matches?.(selector));
}

function about(event) {
  const name = inside(event, "[data-entity]");
  return name ? [name.dataset.entity] : [];
}

// A card that is reached by Tab stands for the names on it.
function reached(event) {
  const card = inside(event, "[data-card]");
  if (!card) return about(event);
  return [...card.querySelectorAll("[data-entity]")].map((one) => one.dataset.entity);
}

function bubble() {
  const made = element("div", "gear-tip", { "aria-hidden": "true", hidden: "" }); // the term says it as its description
  document.body.append(made);
  return made;
}

function explain(state, event) {
  state.term = inside(event, "[data-explained]");
  if (!state.term) {
    state.tip.hidden = true;
    return;
  }
  state.tip.textContent = state.term.getAttribute("aria-description");
  state.tip.hidden = false;
  beside(state, state.term);
}

// The tip next to its term, within the window.
function beside(state, term) {
  const [at, tip] = [term.getBoundingClientRect(), state.tip.getBoundingClientRect()];
  const below = at.bottom + 6 + tip.height < innerHeight;
  state.tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - tip.width - 8))}px`;
  state.tip.style.top = `${below ? at.bottom + 6 : at.top - tip.height - 6}px`;
}

// The page has moved: the tip goes with its term while that is still pointed at or has the focus. The event of a scroll
// that brings a term under the pointer comes after that of the pointer.
function moved(state) {
  if (state.tip.hidden) return;
  if (state.term.isConnected && state.term.matches(":hover, :focus-visible")) beside(state, state.term);
  else state.tip.hidden = true;
}

function point(state, names) {
  if (names.join("\n") === state.pointed.join("\n")) return;
  state.pointed = names;
  light(state);
}

// Movements within a component end at its root, so every root listens to them.
function listen(root, state) {
  root.addEventListener("pointerover", (event) => {
    point(state, about(event));
    explain(state, event);
  });
  root.addEventListener("focusin", (event) => {
    if (!event.composedPath()[0].matches(":focus-visible")) return; // by a click: the pointer says what is meant
    point(state, reached(event));
    explain(state, event);
  });
  root.addEventListener("focusout", () => {
    point(state, []);
    state.tip.hidden = true;
  });
}

function keep(state, name) {
  state.kept = state.kept === name ? null : name;
  if (!state.kept) state.pointed = [];
  light(state);
}

function start() {
  const state = { sheet: new CSSStyleSheet(), pointed: [], kept: null, term: undefined, tip: bubble(), roots: new WeakSet() };
  document.addEventListener("click", (event) => {
    const [name] = about(event);
    if (name) keep(state, name);
    explain(state, event);
  });
  document.addEventListener("keydown", (event) => {
    const [name] = about(event);
    if (name && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      keep(state, name);
    }
    if (event.key !== "Escape") return;
    state.kept = null;
    state.pointed = [];
    state.tip.hidden = true;
    light(state);
  });
  document.documentElement.addEventListener("pointerleave", () => point(state, []));
  document.addEventListener("scroll", () => moved(state), { capture: true, passive: true });
  return state;
}

// Take the page's names and terms, and a component's, into account; calling it again changes nothing.
export function follow(element) {
  document[STATE] ||= start();
  const state = document[STATE];
  for (const root of [document, element.getRootNode()]) {
    if (state.roots.has(root)) continue;
    state.roots.add(root);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, state.sheet];
    listen(root, state);
  }
}
