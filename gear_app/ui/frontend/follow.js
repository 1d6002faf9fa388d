// A follower's page: the presenter's slide, moved by her alone. It asks the server what she is at; nothing here is sent.

import { ask } from "./class.js";
import { element } from "./dom.js";
import { PHONE, mirror } from "./presenter.js";

const ASK_MS = 500;
const SLOWEST_MS = 8000;

export async function watch(page, code) {
  const said = element("p", "trouble", { role: "status" }, "Looking for the presentation …");
  const host = element("div", "follower");
  page.replaceChildren(said, host);
  const root = host.attachShadow({ mode: "open" }); // the slide has a style sheet of its own
  const dialog = element("dialog", "presenter follower", { "aria-label": "What the presenter shows" });
  root.append(element("link", "", { rel: "stylesheet", href: "join/presenter.css" }), dialog);
  const narrow = matchMedia(PHONE);
  let shown = "";
  let seen;
  const draw = () => {
    dialog.classList.toggle("scrolls", narrow.matches);
    if (seen?.columns.length) mirror(dialog, seen, { whole: true });
  };
  narrow.addEventListener("change", draw);
  addEventListener("resize", draw);
  document.fonts.ready.then(draw);
  let wait = ASK_MS;
  for (;;) {
    try {
      seen = await ask(`join/slide?code=${encodeURIComponent(code)}`);
      wait = ASK_MS;
      const { lit, names, ...slide } = seen;
      const now = JSON.stringify(slide);
      said.textContent = seen.columns?.length ? "" : "The presenter has not begun.";
      if (seen.columns?.length) {
        if (!dialog.open) dialog.show();
        mirror(dialog, seen, { whole: now !== shown });
      }
      shown = now;
    } catch (error) {
      wait = Math.min(wait * 2, SLOWEST_MS);
      said.textContent = error.refused ? error.message : "The server cannot be reached. Trying again.";
      if (error.refused) dialog.close();
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}
