// Extensions of beams that compete: a pale bar for the sum, a full one for what γ leaves of it, one dotted line to pass.
// Moving γ moves the bars at once, and writes the stop into the address. Words are set as textContent only.

import { button, element, ready } from "./dom.js";
import { follow } from "./pointing.js";

const STATE = new WeakMap();

// An element that stands for a thing, which lights up with others of that thing.
function lit(name, className, entity, ...content) {
  return element(name, className, entity ? { "data-entity": entity } : undefined, ...content);
}

function fact(one) {
  const star = one.star ? element("span", "star", "★ ") : "";
  const head = element("b", "", star, lit("span", "", one.subject_entity, one.subject));
  return [head, element("span", "relation", `${one.predicate} → `, lit("span", "", one.object_entity, one.object))];
}

function label(one) {
  return `${one.subject} ${one.predicate} ${one.object}`;
}

function beginning(beam, data) {
  return lit("div", `card begin${beam.star ? " gold" : ""}`, data.beam_thing, ...fact(beam));
}

function lane(one, data) {
  const pale = lit("div", "pale", data.sum_thing);
  pale.style.width = `${one.pale * 100}%`;
  const [full, limit] = [lit("div", "full", data.left_thing), lit("div", "limit", data.line_thing)];
  return element("div", "lane", pale, full, element("span", "weight"), limit);
}

function rival(one, data, choose) {
  const place = lit("span", "tag", data.place_thing, `${one.place} in its beam`);
  const tags = element("span", "tags", place, element("span", "won"), element("span", "guess", one.guess ? "your prediction" : ""));
  const card = button("card", () => choose(one.id), { "data-entity": one.id }, ...fact(one), tags);
  const track = element("div", "track", lane(one, data), element("span", "score"));
  return element("div", `rival${one.star ? " gold" : ""}`, card, track);
}

function key(data) {
  const stars = new Set(data.beams.flatMap((beam) => beam.rivals.map((one) => Boolean(one.star))));
  const gold = stars.size === 1 ? "gold" : "both";
  const kinds = stars.has(true) ? gold : ""; // the colours that the bars have, and no other
  const entries = [["p", "the sum", data.sum_thing], ["f", "what is left of it", data.left_thing], ["l", "the last place that goes on", data.line_thing]];
  const shown = (data.revealed ? entries : entries.slice(0, 1)).map(([kind, words, thing]) =>
    element("span", "", element("i", kind === "f" ? `f ${kinds}` : kind), lit("span", "", thing, words)),
  );
  return element("p", "key", ...shown);
}

function stops(data, move) {
  const all = data.stops.map((stop) => button("", () => move(stop.id), { role: "radio", "data-stop": stop.id }, stop.label));
  const group = element("div", "stops", { role: "radiogroup", "aria-label": "γ, the diversity setting" }, ...all);
  group.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own Left and Right turn the page
    const next = all[all.findIndex((one) => one.getAttribute("aria-checked") === "true") + step];
    if (!next) return;
    next.focus();
    move(next.dataset.stop);
  });
  return element("div", "gamma", element("span", "", "γ"), group);
}

function formula(one, stop) {
  const note = element("span", "hidden", ", n the place in its beam, from 0");
  const head = element("h3", "", "score = sum × e", element("sup", "", "−min(n, γ) / γ"), note);
  const terms = one.stops[stop].terms;
  const list = terms.flatMap(([name, value], at) => {
    const total = at === terms.length - 1 ? "total" : "";
    const words = total ? `= score of “${label(one)}”` : name;
    return [element("dt", total, words), element("dd", total, value)];
  });
  return element("div", "formula", head, element("dl", "", ...list));
}

function shown(root, state) {
  const { data } = state;
  const stop = data.stops.find((one) => one.id === state.stop);
  const all = data.beams.flatMap((beam) => beam.rivals);
  root.querySelectorAll(".stops button").forEach((one) => {
    const on = one.dataset.stop === state.stop;
    one.setAttribute("aria-checked", String(on));
    one.tabIndex = on ? 0 : -1;
  });
  const most = Math.max(...all.map((one) => Number(one.sum.replace("−", "-")) / (one.pale || 1)));
  all.forEach((one) => {
    const made = state.rivals.get(one.id);
    const at = one.stops[state.stop];
    made.classList.toggle("in", Boolean(at?.kept));
    made.classList.toggle("out", Boolean(at && !at.kept));
    made.classList.toggle("chosen", data.revealed && one.id === state.chosen);
    made.querySelector(".full").style.width = at ? `${at.full * 100}%` : "0";
    const weight = made.querySelector(".weight");
    weight.textContent = at?.weight ?? "";
    weight.style.left = at ? `${at.full * 100}%` : "0";
    made.querySelector(".score").textContent = at ? at.score : one.sum;
    made.querySelector(".won").textContent = at?.kept ? `● ${at.kept_words}` : "";
    made.querySelector(".tag").hidden = !at;
    const limit = made.querySelector(".limit");
    limit.hidden = !stop?.line;
    if (stop?.line) limit.style.left = `${(stop.line / most) * 100}%`;
    made.querySelector(".card").setAttribute("aria-pressed", String(one.id === state.chosen));
    made.querySelector(".card").setAttribute("aria-label", spoken(one, at));
  });
  root.querySelector(".says").textContent = stop ? stop.says : `${data.width} of these will go on. Predict first; then γ can be moved.`;
  const place = root.querySelector(".terms");
  const chosen = all.find((one) => one.id === state.chosen);
  place.replaceChildren(...(stop && chosen ? [formula(chosen, state.stop)] : []));
}

function spoken(one, at) {
  if (!at) return `${label(one)}, sum ${one.sum}`;
  const fate = at.kept ? `${at.kept_words}, goes on` : "does not go on";
  return `${label(one)}, ${one.place} in its beam, sum ${one.sum}, score ${at.score}, ${fate}`;
}

function build(root, state, component) {
  const { data } = state;
  const again = () => shown(root, state);
  const choose = (id) => {
    state.chosen = id;
    again();
  };
  const move = (id) => {
    state.stop = id;
    again();
    component.setTriggerValue("stop", id);
  };
  const top = element("div", "top", element("p", "says", { role: "status" }), ...(data.stops.length ? [stops(data, move)] : []));
  state.rivals = new Map();
  const groups = data.beams.map((beam) => {
    const told = { role: "group", "aria-label": `What could follow “${label(beam)}”` };
    const rows = beam.rivals.map((one) => rival(one, data, choose));
    beam.rivals.forEach((one, at) => state.rivals.set(one.id, rows[at]));
    return element("div", "group", told, beginning(beam, data), element("div", "rivals", ...rows));
  });
  const more = element("p", "key", data.left_out ? `${data.left_out} more did not come near.` : "");
  more.hidden = !data.left_out;
  root.replaceChildren(top, key(data), ...groups, more, element("div", "terms"));
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".bars");
  const same = JSON.stringify({ ...data, stop: "" });
  const state = STATE.get(root) || {};
  const fresh = state.same !== same;
  state.data = data;
  state.stop = data.stop;
  if (fresh) {
    state.same = same;
    state.chosen = data.chosen || data.beams[0]?.rivals[0]?.id;
    build(root, state, component);
    STATE.set(root, state);
  }
  shown(root, state);
  follow(root);
}
