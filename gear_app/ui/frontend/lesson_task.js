// A task: a question and its options. The first choice is sent; afterwards the options say which was right.
// Words come as data and are set as textContent only.

import { element } from "./dom.js";
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
  const made = element(open ? "button" : "div", `option ${kind(place, data)}`);
  const sign = element("span", "sign", { solution: "●", wrong: "○" }[kind(place, data)] || (open ? "○" : ""));
  sign.setAttribute("aria-hidden", "true");
  made.append(sign, element("span", "", option.text));
  if (open) {
    made.type = "button";
    made.addEventListener("click", () => choose(place));
  } else {
    const words = remark(place, option, data);
    if (words) made.append(element("small", "", words));
    if (place === data.solution) made.append(element("span", "hidden", "This is the solution."));
  }
  return made;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".task");
  const heading = element("h3", "", data.question);
  heading.id = "asked";
  const options = element("div", "options");
  options.setAttribute("role", "group");
  options.setAttribute("aria-labelledby", "asked");
  options.append(...data.options.map((option, place) => drawn(option, place, data, (chosen) => setTriggerValue("answer", chosen))));
  const verdict = element("p", data.answer === data.solution ? "verdict yes" : "verdict no", data.verdict);
  verdict.setAttribute("role", "status");
  root.replaceChildren(heading, options, verdict);
  verdict.hidden = !data.verdict;
  follow(root);
}
