// The pipeline strip: one button a step, the current iteration spelled out, the others as dots.
// Words come as data and are set as textContent only. Left and Right belong to the page's own buttons.

import { button, element, ready } from "./dom.js";
import { follow } from "./pointing.js";

function stop(step, current, spelled, go) {
  const told = { title: step.label, "aria-label": step.label, "data-step": step.number };
  const made = button(spelled ? "verb" : "dot", () => go(step.number), told, spelled ? step.verb : "");
  made.tabIndex = spelled ? 0 : -1; // the dots are reached through the names of their iterations
  if (step.number === current) made.setAttribute("aria-current", "step");
  if (step.number < current) made.classList.add("past");
  if (step.failed) made.classList.add("failed");
  return made;
}

function groups(steps) {
  const found = [];
  for (const step of steps) {
    const last = found[found.length - 1];
    if (last && last.iteration === step.iteration) last.steps.push(step);
    else found.push({ iteration: step.iteration, steps: [step] });
  }
  return found;
}

function group(found, current, many, go) {
  const here = found.steps.some((step) => step.number === current);
  const made = element("div", here ? "group here" : "group", { role: "group" });
  const spelled = here || found.steps.length === 1 || !many;
  if (found.iteration && many) {
    const name = `Iteration ${found.iteration}`;
    const told = { title: name, "aria-label": name };
    made.append(button("iteration", () => go(found.steps[0].number), told, spelled ? name : found.iteration));
  }
  found.steps.forEach((step, place) => {
    const before = found.steps[place - 1];
    const begins = spelled && step.search && step.search !== before?.search;
    if (before && spelled && !begins) made.append(element("span", "next", "›"));
    if (begins) made.append(element("span", "search", step.search));
    if (before && !spelled && step.search !== before.search) made.append(element("span", "gap"));
    made.append(stop(step, current, spelled, go));
  });
  return made;
}

// Escape leaves the question field, and so does the run that was asked for: Left and Right then step through it. Who types
// another question meanwhile stays there.
const QUESTION = ".st-key-question input";
let shown;

function leave_question(event) {
  if (event.key === "Escape" && event.target.matches?.(QUESTION)) event.target.blur();
}

function settle_focus({ run, question }) {
  document.removeEventListener("keydown", leave_question);
  document.addEventListener("keydown", leave_question);
  const active = document.activeElement;
  if (run !== shown && active?.matches(QUESTION) && active.value.trim() === question) active.blur();
  shown = run;
}

// In the middle of the strip, where that scrolls; the page does not.
function keep_in_sight(root) {
  const step = root.querySelector("[aria-current]")?.getBoundingClientRect();
  const line = root.getBoundingClientRect();
  if (step) root.scrollLeft += step.left + step.width / 2 - line.left - line.width / 2;
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  settle_focus(data);
  const announced = parentElement.querySelector(".announced");
  if (announced.textContent !== data.said) announced.textContent = data.said; // said once, not at every redraw
  const root = parentElement.querySelector(".strip");
  const found = groups(data.steps);
  const many = found.filter((one) => one.iteration).length > 1;
  const go = (number) => setTriggerValue("go", number);
  root.replaceChildren(...found.map((one) => group(one, data.current, many, go)));
  follow(root);
  if (data.live) root.append(element("span", "live", "…"));
  keep_in_sight(root);
}
