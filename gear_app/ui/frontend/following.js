// Tells the server what a presenter points at, for those who follow: how many cards are uncovered, the card under the
// pointer, the names that are lit. Several times a second at most, and the newest word always gets there.

import { button, element } from "./dom.js";
import { lit_names } from "./pointing.js";

const PAUSE_MS = 150;
let last = "";
let waiting;
let newest;

function send() {
  waiting = undefined;
  const body = JSON.stringify(newest);
  if (body === last) return;
  last = body;
  // Nobody is told of a failure: the next movement says the same again.
  fetch("/following/point", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => {
    last = "";
  });
}

export function tell(following, words) {
  if (!following) return;
  newest = { code: following.code, token: following.token, shown: following.shown, ...words };
  waiting ||= setTimeout(send, PAUSE_MS);
}

// Beside the steps of Explore while others follow: what is lit there is lit on their slide, on which all is uncovered.
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const shown = parentElement.querySelector(".following");
  const where = element("span", "", `Others follow at ${data.where}`);
  shown.replaceChildren(where, button("", () => setTriggerValue("stop", true), "Stop"));
  const lit = () => tell(data, { uncovered: 10000, card: "", names: lit_names() });
  lit();
  document.addEventListener("gear.lit", lit);
  return () => document.removeEventListener("gear.lit", lit);
}
