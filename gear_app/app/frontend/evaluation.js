// Figures and tables of an evaluation. The markup is made by gear_app/display, where everything that is
// not markup of ours is escaped. What is chosen in it, and the run that is to be opened, go to Python.

import { ready } from "./dom.js";
import { follow } from "./pointing.js";

function pressed(root, selected) {
  for (const one of root.querySelectorAll("[data-pick]")) {
    one.setAttribute("aria-pressed", String(one.dataset.pick === selected));
  }
}

function step(root, event) {
  const links = [...root.querySelectorAll("a.question[data-run]")];
  const at = links.indexOf(event.target.closest("li")?.querySelector("a.question[data-run]"));
  const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".evaluation");
  if (root.shown !== data.html) {
    root.shown = data.html;
    root.innerHTML = data.html;
  }
  pressed(root, data.selected);
  follow(root);
  root.onclick = (event) => {
    const pick = event.target.closest("[data-pick]");
    const link = event.target.closest("a[data-run]");
    if (pick) {
      pressed(root, pick.dataset.pick);
      setTriggerValue("pick", pick.dataset.pick);
    } else if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      setTriggerValue("go", { ...link.dataset });
    }
  };
  root.onkeydown = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") step(root, event);
  };
}
