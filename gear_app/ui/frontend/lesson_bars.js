// Extensions of beams that compete: a pale bar for the sum, a full one for what γ leaves of it, one dotted line to pass.
// Moving γ moves the bars at once, and writes the stop into the address. Words are set as textContent only.

import { element } from "./dom.js";
import { offer } from "./picture.js";
import { follow } from "./pointing.js";

const STATE = new WeakMap();

function lit(words, entity, name = "span", className = "") {
  const made = element(name, className, words);
  if (entity) made.dataset.entity = entity;
  return made;
}

function fact(one) {
  const head = element("b", "");
  if (one.star) head.append(element("span", "star", "★ "));
  head.append(lit(one.subject, one.subject_entity));
  const relation = element("span", "relation", `${one.predicate} → `);
  relation.append(lit(one.object, one.object_entity));
  return [head, relation];
}

function label(one) {
  return `${one.subject} ${one.predicate} ${one.object}`;
}

function beginning(beam, data) {
  const made = element("div", `card begin${beam.star ? " gold" : ""}`);
  made.dataset.entity = data.beam_thing;
  made.append(...fact(beam));
  return made;
}

function lane(one, data) {
  const made = element("div", "lane");
  const pale = element("div", "pale");
  pale.style.width = `${one.pale * 100}%`;
  pale.dataset.entity = data.sum_thing;
  const full = element("div", "full");
  full.dataset.entity = data.left_thing;
  const limit = element("div", "limit");
  limit.dataset.entity = data.line_thing;
  made.append(pale, full, element("span", "weight"), limit);
  return made;
}

function rival(one, data, choose) {
  const made = element("div", `rival${one.star ? " gold" : ""}`);
  const card = element("button", "card");
  card.type = "button";
  card.dataset.entity = one.id;
  card.append(...fact(one));
  const tags = element("span", "tags");
  const place = lit(`${one.place} in its beam`, data.place_thing, "span", "tag");
  tags.append(place, element("span", "won"), element("span", "guess", one.guess ? "your prediction" : ""));
  card.append(tags);
  card.addEventListener("click", () => choose(one.id));
  const track = element("div", "track");
  track.append(lane(one, data), element("span", "score"));
  made.append(card, track);
  return made;
}

function key(data) {
  const made = element("p", "key");
  const stars = new Set(data.beams.flatMap((beam) => beam.rivals.map((one) => Boolean(one.star))));
  const gold = stars.size === 1 ? "gold" : "both";
  const kinds = stars.has(true) ? gold : ""; // the colours that the bars have, and no other
  const entries = [["p", "the sum", data.sum_thing], ["f", "what is left of it", data.left_thing], ["l", "the last place that goes on", data.line_thing]];
  for (const [kind, words, thing] of data.revealed ? entries : entries.slice(0, 1)) {
    const entry = element("span", "");
    entry.append(element("i", kind === "f" ? `f ${kinds}` : kind), lit(words, thing));
    made.append(entry);
  }
  return made;
}

function stops(data, move) {
  const made = element("div", "gamma");
  const group = element("div", "stops");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", "γ, the diversity setting");
  for (const stop of data.stops) {
    const one = element("button", "", stop.label);
    one.type = "button";
    one.setAttribute("role", "radio");
    one.dataset.stop = stop.id;
    one.addEventListener("click", () => move(stop.id));
    group.append(one);
  }
  group.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own Left and Right turn the page
    const all = [...group.children];
    const next = all[all.findIndex((one) => one.getAttribute("aria-checked") === "true") + step];
    if (!next) return;
    next.focus();
    move(next.dataset.stop);
  });
  made.append(element("span", "", "γ"), group);
  return made;
}

function formula(one, stop) {
  const made = element("div", "formula");
  const head = element("h3", "", "score = sum × e");
  head.append(element("sup", "", "−min(n, γ) / γ"));
  const note = element("span", "hidden", ", n the place in its beam, from 0");
  head.append(note);
  const list = element("dl", "");
  const terms = one.stops[stop].terms;
  terms.forEach(([name, value], at) => {
    const total = at === terms.length - 1 ? "total" : "";
    const words = total ? `= score of “${label(one)}”` : name;
    list.append(element("dt", total, words), element("dd", total, value));
  });
  made.append(head, list);
  return made;
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
  const top = element("div", "top");
  const says = element("p", "says");
  says.setAttribute("role", "status");
  top.append(says, ...(data.stops.length ? [stops(data, move)] : []));
  state.rivals = new Map();
  const groups = data.beams.map((beam) => {
    const made = element("div", "group");
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", `What could follow “${label(beam)}”`);
    const rivals = element("div", "rivals");
    for (const one of beam.rivals) {
      const row = rival(one, data, choose);
      state.rivals.set(one.id, row);
      rivals.append(row);
    }
    made.append(beginning(beam, data), rivals);
    return made;
  });
  const more = element("p", "key", data.left_out ? `${data.left_out} more did not come near.` : "");
  more.hidden = !data.left_out;
  root.replaceChildren(top, key(data), ...groups, more, element("div", "terms"));
}

export default function (component) {
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
  offer(root, "bars", "apart");
}
