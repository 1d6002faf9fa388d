// Buttons with words that come as data, one a line, each with a quiet note. What is clicked comes back by its place.

import { button, element, ready } from "./dom.js";

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setTriggerValue } = component;
  parentElement.querySelector(".choices").replaceChildren(
    ...data.choices.map((one, place) => {
      const words = one.words.map(([text, strong]) => (strong ? element("b", "", text) : text));
      const said = element("span", "said", { dir: "auto" }, ...words);
      return button("choice", () => setTriggerValue("chosen", place), said, element("span", "aside", one.note));
    }),
  );
}
