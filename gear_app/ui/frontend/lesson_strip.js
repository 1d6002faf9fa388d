// The row of lessons. Words come as data and are set as textContent only.
// What a learner predicted and read to its end is kept in this browser tab, and given back to a page that was loaded anew.

import { button, element, ready } from "./dom.js";

const KEPT = "gear-lessons";
let given = false; // once a load: what the page does not take it would be given for ever

function drawn(lesson, go) {
  const sign = element("i", "", { "aria-hidden": "true" }, lesson.done && !lesson.here ? "✓" : lesson.place);
  const told = { "aria-label": `Lesson ${lesson.place}: ${lesson.title}${lesson.done ? ", read" : ""}` };
  if (lesson.here) told["aria-current"] = "page";
  return button(lesson.done ? "done" : "", () => go(lesson.id), told, sign, element("span", "", lesson.title));
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) || {};
  } catch {
    return {}; // a browser that keeps nothing, or something that is not ours
  }
}

function keep(learner, give) {
  const before = stored();
  const lacks = (part) => Object.keys(before[part] || {}).some((name) => !(name in learner[part]));
  if (!given && (lacks("answers") || lacks("seen"))) {
    given = true;
    setTimeout(() => give(before));
    return; // not overwritten before it was taken
  }
  given = true;
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(learner));
  } catch {
    // Full, or forbidden: then predictions last as long as the page.
  }
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  keep(data.learner, (before) => setTriggerValue("kept", before));
  const root = parentElement.querySelector(".lessons");
  root.replaceChildren(...data.lessons.map((lesson) => drawn(lesson, (id) => setTriggerValue("go", id))));
  const here = root.querySelector("[aria-current]");
  if (here) root.scrollLeft = here.offsetLeft - root.offsetLeft - 12;
}
