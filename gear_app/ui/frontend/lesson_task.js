// A task: a question and its options. The first choice is sent; afterwards the options say which was right.
// Words come as data and are set as textContent only.

import { button, element, ready } from "./dom.js";
import { follow } from "./pointing.js";

function kind(place, data) {
  if (data.answer === null) return "";
  if (place === data.solution) return "solution";
  return place === data.answer ? "wrong" : "";
}

function remark(place, option, data) {
  const guess = place === data.answer ? "your prediction" : "";
  return [guess, option.remark].filter(Boolean).join(" · ");
}

function drawn(option, place, data, choose) {
  const open = data.answer === null;
  const is = kind(place, data);
  const sign = { solution: "●", wrong: "○" }[is] || (open ? "○" : "");
  const parts = [element("span", "sign", { "aria-hidden": "true" }, sign), element("span", "", option.text)];
  if (open) return button("option", () => choose(place), ...parts);
  const words = remark(place, option, data);
  if (words) parts.push(element("small", "", words));
  if (is === "solution") parts.push(element("span", "hidden", "This is the solution."));
  return element("div", `option ${is}`, ...parts);
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".task");
  const heading = element("h3", "", { id: "asked" }, data.question);
  const choose = (place) => setTriggerValue("answer", place);
  const list = data.options.map((option, place) => drawn(option, place, data, choose));
  const options = element("div", "options", { role: "group", "aria-labelledby": "asked" }, ...list);
  const kind = data.answer === data.solution ? "verdict yes" : "verdict no";
  const verdict = element("p", kind, { role: "status" }, data.verdict);
  root.replaceChildren(heading, options, verdict);
  verdict.hidden = !data.verdict;
  follow(root);
}
