// The row of lessons. Words come as data and are set as textContent only.

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(lesson, go) {
  const made = element("button", lesson.done ? "done" : "");
  made.type = "button";
  const sign = element("i", "", lesson.done && !lesson.here ? "✓" : lesson.place);
  sign.setAttribute("aria-hidden", "true");
  made.append(sign, element("span", "", lesson.title));
  made.setAttribute("aria-label", `Lesson ${lesson.place}: ${lesson.title}${lesson.done ? ", read" : ""}`);
  if (lesson.here) made.setAttribute("aria-current", "page");
  made.addEventListener("click", () => go(lesson.id));
  return made;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".lessons");
  root.replaceChildren(...data.lessons.map((lesson) => button(lesson, (id) => setTriggerValue("go", id))));
}
