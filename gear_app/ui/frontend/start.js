// The featured run in three captions, and their play: thirty seconds each, what has not happened is hidden. Right and Left go to
// the next caption and back; any other key stops. Where motion is unwelcome nothing moves by itself. Words are textContent only.

import { element, link, svg } from "./dom.js";
import { follow } from "./pointing.js";

const SECONDS = 30; // of a caption
const SHOWN_BY = 0.6; // of that time all its cards are there
const CHART = { width: 340, height: 92, left: 20, right: 122, top: 12, bottom: 20 };
const players = new WeakMap();

// Names that facts share have the same mark wherever they stand; any name lights up where it is pointed at.
function pieces(into, words) {
  for (const [text, mark, entity] of words) {
    if (!entity) into.append(text);
    else {
      const name = element("span", mark === null ? "" : `name m${mark % 4}`, text);
      name.dataset.entity = entity;
      into.append(name);
    }
  }
  return into;
}

const plain = (words) => words.map(([text]) => text).join("");

function star() {
  return element("span", "star", { role: "img", "aria-label": "gold passage: " }, "★ ");
}

function note(item) {
  const sign = { yes: "● ", no: "○ " }[item.tone];
  return element("span", `note ${item.tone}`, (sign || "") + item.note);
}

function card(item, run, open) {
  if (item.kind === "cut") return element("span", "", item.note);
  if (item.kind === "link") return pieces(element("span", ""), item.words);
  const address = `./explore?run=${encodeURIComponent(run)}` + (item.step === null ? "" : `&step=${item.step}`);
  const made = link("card", address, () => open(item.step), { title: "Open this step in Explore" });
  const head = pieces(element("span", "head"), item.head);
  if (item.star && item.kind !== "passage") head.prepend(star());
  const words = pieces(element("span", "words", { dir: "auto" }), item.words);
  if (item.star && item.kind === "passage") words.prepend(star());
  if (item.kind === "missed") head.append("–");
  made.append(head, words);
  const below = element("span", "below");
  if (item.note) below.append(note(item));
  if (item.note && item.more) below.append(" · ");
  if (item.more) below.append(element("span", "more", item.more));
  if (below.childNodes.length) made.append(below);
  return made;
}

function chart(recall) {
  const { width, height, left, right, top, bottom } = CHART;
  const count = recall.found.length;
  const x = (at) => left + 8 + (count > 1 ? (at / (count - 1)) * (width - left - right - 16) : 0);
  const y = (found) => height - bottom - (found / recall.gold) * (height - top - bottom);
  const last = recall.found[count - 1];
  const said = `Gold passages among the first five: ${recall.name} ${recall.found.join(", then ")} of ${recall.gold}; one search ${recall.first} of ${recall.gold}.`;
  const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said, class: "chart" });
  for (const level of [0, recall.gold]) {
    made.append(svg("line", { x1: left, x2: width - right, y1: y(level), y2: y(level), class: "rule" }));
    made.append(svg("text", { x: left - 6, y: y(level) + 4, class: "axis end" }, level));
  }
  made.append(svg("line", { x1: left, x2: width - right, y1: y(recall.first), y2: y(recall.first), class: "first" }));
  const line = recall.found.map((found, at) => `${x(at)},${y(found)}`).join(" ");
  if (count > 1) made.append(svg("polyline", { points: line, class: "line" }));
  recall.found.forEach((found, at) => {
    made.append(svg("circle", { cx: x(at), cy: y(found), r: 4, class: "dot" }));
    const words = count > 1 && at === 0 ? "iteration 1" : count > 1 ? at + 1 : "";
    made.append(svg("text", { x: x(at), y: height - 4, class: "axis" }, words));
  });
  const near = Math.abs(y(last) - y(recall.first)) < 14;
  const place = width - right + 8;
  made.append(svg("text", { x: place, y: y(last) + (near ? -4 : 4), class: "strong" }, `${recall.name}: ${last} of ${recall.gold}`));
  made.append(svg("text", { x: place, y: y(recall.first) + (near ? 12 : 4) }, `one search: ${recall.first} of ${recall.gold}`));
  return made;
}

function caption(one, number, run, open) {
  const head = element("h3", "", element("span", "number", number + 1), one.title);
  const list = element("ul", "", ...one.items.map((item) => element("li", item.kind, card(item, run, open))));
  const rule = element("div", "progress", element("i"));
  const made = element("section", "caption", rule, head, pieces(element("p", "told"), one.words), list);
  if (one.recall) made.append(chart(one.recall));
  return made;
}

function player(root, captions, shown, idle) {
  const button = root.querySelector(".play");
  const hint = root.querySelector(".hint");
  const live = root.querySelector(".live");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  let at = null; // the caption that plays
  let timers = [];

  const wait = (ms, act) => timers.push(setTimeout(act, ms));
  const parts = (section) => section.querySelectorAll("li, .chart");

  function draw() {
    const playing = at !== null;
    root.classList.toggle("playing", playing);
    shown.forEach((section, number) => {
      section.classList.toggle("now", number === at);
      section.classList.toggle("later", playing && number > at);
      for (const part of parts(section)) part.classList.toggle("later", playing && !still && number === at);
    });
    button.textContent = playing ? "Stop" : `Start here, ${SECONDS * shown.length} seconds`;
    hint.textContent = playing ? `${at + 1} of ${shown.length} · → goes on, any other key stops` : idle;
  }

  function clear() {
    timers.forEach(clearTimeout);
    timers = [];
  }

  function stop() {
    clear();
    at = null;
    live.textContent = "";
    window.removeEventListener("keydown", key, true);
    draw();
  }

  function go(number) {
    clear();
    if (number >= shown.length) return stop();
    at = Math.max(0, number);
    draw();
    live.textContent = `${at + 1} of ${shown.length}: ${captions[at].title}. ${plain(captions[at].words)}`;
    shown[at].scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
    if (still) return undefined; // each caption is there at once, and the next waits for a key or a click
    const waiting = [...parts(shown[at])];
    const each = (SECONDS * 1000 * SHOWN_BY) / Math.max(1, waiting.length);
    waiting.forEach((part, place) => wait(700 + place * each, () => part.classList.remove("later")));
    wait(SECONDS * 1000, () => go(at + 1));
    return undefined;
  }

  function key(event) {
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    const target = event.composedPath()[0];
    if (target === button && [" ", "Enter"].includes(event.key)) return undefined; // that is a click, which stops
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || target instanceof HTMLInputElement || !root.isConnected) return stop();
    event.preventDefault();
    event.stopPropagation();
    return go(at + step);
  }

  button.addEventListener("click", () => {
    if (at !== null) return stop();
    window.addEventListener("keydown", key, true);
    return go(0);
  });
  shown.forEach((section, number) => {
    section.querySelector("h3").addEventListener("click", () => at !== null && go(number));
  });
  draw();
  return stop;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".start");
  const drawn = JSON.stringify(data);
  const old = players.get(root);
  if (old && old.drawn === drawn) return undefined; // the page ran again: what plays goes on
  if (old) old.stop();
  const open = (step) => setTriggerValue("open", { step });
  const play = element("button", "play", { type: "button" });
  const asked = element("div", "asked", element("p", "hint"), element("h2", "", data.question));
  const bar = element("div", "bar", play, asked, element("span", "live", { "aria-live": "polite" }));
  const shown = data.captions.map((one, number) => caption(one, number, data.run, open));
  root.replaceChildren(bar, element("div", `captions of${data.captions.length}`, ...shown));
  follow(root);
  const idle = `A run of the collection ${data.collection}: every card opens it at that step`;
  players.set(root, { drawn, stop: player(root, data.captions, shown, idle) });
  return undefined;
}
