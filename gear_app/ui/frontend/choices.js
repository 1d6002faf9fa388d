// Buttons with words that come as data, one a line, each with a quiet note. What is clicked comes back by its place.

import { element } from "./dom.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  parentElement.querySelector(".choices").replaceChildren(
    ...data.choices.map((one, place) => {
      const made = element("button", "choice", "");
      made.type = "button";
      const words = element("span", "said", "");
      for (const [text, strong] of one.words) words.append(strong ? element("b", "", text) : text);
      words.dir = "auto";
      made.append(words, element("span", "aside", one.note));
      made.addEventListener("click", () => setTriggerValue("chosen", place));
      return made;
    }),
  );
}
