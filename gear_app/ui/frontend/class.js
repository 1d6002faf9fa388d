// A learner's page: join with a nickname, answer, see what the teacher reveals. It asks the server once a second what there
// is to see; words come as data and are set as textContent only. The learner's token stays in this browser.

import { button, element } from "./dom.js";

const ASK_MS = 1000;
const SLOWEST_MS = 8000; // between two tries while the server cannot be reached

const KEPT = "gear.class."; // and the class's code: where a token is kept

// Storage may be forbidden, as in some private windows: then a reload asks for the nickname again.
const kept = {
  get(code) {
    try {
      return localStorage.getItem(KEPT + code);
    } catch {
      return null;
    }
  },
  set(code, token) {
    try {
      if (token) localStorage.setItem(KEPT + code, token);
      else localStorage.removeItem(KEPT + code);
    } catch {
      // nothing is lost but the convenience
    }
  },
  codes() {
    try {
      return Object.keys(localStorage).filter((one) => one.startsWith(KEPT)).map((one) => one.slice(KEPT.length));
    } catch {
      return [];
    }
  },
};

class Refused extends Error {
  refused = true; // by the server, with a sentence; any other error is the way there

  constructor(said) {
    super(said.error);
    this.closed = said.closed === true;
  }
}

export async function ask(path, { token, body } = {}) {
  const headers = token ? { "X-Learner": token } : {};
  if (body) headers["Content-Type"] = "application/json";
  const options = { headers, cache: "no-store", method: body ? "POST" : "GET", body: body && JSON.stringify(body) };
  const reply = await fetch(path, options);
  const said = await reply.json();
  if (!reply.ok) throw new Refused(said);
  return said;
}

export function take_part(page, code) {
  const state = { code: tidy(code), token: null, wanted: null, shown: "", sent: "" };
  for (const other of kept.codes()) if (other !== state.code) forget_closed(other);
  state.token = state.code && kept.get(state.code);
  if (state.token) stay(page, state);
  else enter(page, state, "");
}

// A class that was closed while this phone was away leaves no token behind.
async function forget_closed(code) {
  try {
    await ask(`join/page?code=${code}`, { token: kept.get(code) });
  } catch (error) {
    if (error.refused) kept.set(code, null);
  }
}

function tidy(code) {
  return code.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

function field(label, name, value, more) {
  const input = Object.assign(element("input"), { name, value, required: true, autocomplete: "off", ...more });
  return element("label", "", label, input);
}

function enter(page, state, why) {
  const join = element("button", "join", { type: "submit" }, "Join");
  const said = element("p", "trouble", { role: "alert" }, why);
  const form = element(
    "form",
    "enter",
    element("h1", "", "Join the class"),
    element("p", "quiet", "A nickname, no account. It is forgotten when the class is closed."),
    field("Code", "code", state.code, { maxLength: 12, autocapitalize: "characters", spellcheck: false }),
    field("Nickname", "nickname", "", { maxLength: 24 }),
    join,
    said,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = new FormData(form);
    state.code = tidy(values.get("code"));
    join.disabled = true;
    try {
      const token = kept.get(state.code); // of who was in this class before: she is the same learner
      const joined = await ask("join/enter", { token, body: { code: state.code, nickname: values.get("nickname") } });
      state.token = joined.token;
      kept.set(state.code, state.token);
      history.replaceState(null, "", `?code=${state.code}`);
      stay(page, state);
    } catch (error) {
      said.textContent = words_of(error);
      join.disabled = false;
    }
  });
  page.replaceChildren(form);
  form.querySelector(state.code ? "[name=nickname]" : "[name=code]").focus();
}

function words_of(error) {
  return error.refused ? error.message : "The server cannot be reached. Is this device in the same network?";
}

// Ask for the page again and again, until the class is closed or the learner is no longer in it.
async function stay(page, state) {
  let wait = ASK_MS;
  for (;;) {
    try {
      const leaf = state.wanted === null ? "" : `&page=${state.wanted}`;
      const asked = state.sent;
      const seen = await ask(`join/page?code=${state.code}${leaf}`, { token: state.token });
      wait = ASK_MS;
      if (asked === state.sent) show(page, state, seen); // an answer was sent meanwhile: what came is older
    } catch (error) {
      if (error.refused) {
        kept.set(state.code, null);
        if (error.closed) closed(page, state, error.message);
        else enter(page, { ...state, code: "", token: null }, error.message);
        return;
      }
      wait = Math.min(wait * 2, SLOWEST_MS);
      trouble(page, state, words_of(error));
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

function closed(page, state, words) {
  const again = button("", () => enter(page, { ...state, code: "", token: null }, ""), "Join another class");
  const forgotten = element("p", "quiet", "Nicknames and answers are forgotten.");
  page.replaceChildren(element("section", "text closed", { role: "status" }, element("h1", "", words), forgotten, again));
}

function trouble(page, state, words) {
  state.shown = "";
  let said = page.querySelector(".trouble");
  if (!said) page.prepend((said = element("p", "trouble")));
  said.setAttribute("role", "status");
  said.textContent = `${words} Trying again.`;
}

async function answer(page, state, seen, option) {
  state.sent = `${Date.now()}-${option}`;
  const body = { code: state.code, key: seen.task.key, option, page: seen.page };
  try {
    show(page, state, await ask("join/answer", { token: state.token, body }));
  } catch (error) {
    trouble(page, state, words_of(error));
  }
}

// Drawn anew only where something changed, so that a finger or the focus does not lose its button.
function show(page, state, seen) {
  const now = JSON.stringify(seen);
  if (now === state.shown) return;
  state.shown = now;
  if (seen.locked) state.wanted = null;
  const focused = document.activeElement?.dataset?.focus;
  const leaf = (to) => {
    state.wanted = to;
    ask(`join/page?code=${state.code}&page=${to}`, { token: state.token })
      .then((there) => show(page, state, there))
      .catch((error) => trouble(page, state, words_of(error)));
  };
  page.replaceChildren(top(seen), text(seen), ...(seen.task ? [task(page, state, seen)] : []), bottom(seen, leaf));
  if (focused) page.querySelector(`[data-focus="${focused}"]`)?.focus();
}

function top(seen) {
  return element("header", "", element("span", "lesson", seen.lesson), element("span", "who", { dir: "auto" }, seen.nickname));
}

function text(seen) {
  return element("section", "text", element("h1", "", seen.title), ...seen.text.map((one) => element("p", "", one)));
}

function bottom(seen, leaf) {
  const place = element("span", "place", `page ${seen.page + 1} of ${seen.pages}`);
  if (seen.locked) return element("footer", "", place, element("span", "quiet", "The teacher turns the pages."));
  const back = button("", () => leaf(seen.page - 1), { "data-focus": "back" }, "← Back");
  const on = button("", () => leaf(seen.page + 1), { "data-focus": "on" }, "Next →");
  back.disabled = seen.page === 0;
  on.disabled = seen.page === seen.pages - 1;
  return element("footer", "", back, place, on);
}

const letter = (index) => String.fromCharCode(65 + index);

function task(page, state, seen) {
  const asked = seen.task;
  const votes = asked.answers.length;
  const now = asked.answers[votes - 1];
  const most = asked.revealed ? Math.max(1, ...asked.counts.flat()) : 1;
  const options = asked.options.map((words, index) =>
    asked.revealed ? revealed(asked, words, index, now, most) : open(words, index, now, () => answer(page, state, seen, index)),
  );
  const group = element("div", "options", { role: "group", "aria-label": asked.question }, ...options);
  const said = element("p", "said", { role: "status" }, sentence(asked, now));
  const made = element("section", "task", element("h2", "", asked.question), group, said);
  if (votes > 1) made.append(element("p", "quiet", before(asked)));
  if (asked.revealed && asked.solution.length) made.append(element("div", "solution", ...asked.solution.map((one) => element("p", "", one))));
  return made;
}

function open(words, index, now, act) {
  const pressed = { "aria-pressed": index === now, "data-focus": `option-${index}` };
  return button("option", act, pressed, element("b", "", letter(index)), element("span", "", words));
}

function revealed(asked, words, index, now, most) {
  const right = index === asked.right;
  const label = element("span", "", words);
  if (right) label.append(element("em", "sign", " ✓ right"));
  if (index === now) label.append(element("em", "own", " your answer"));
  if (asked.remarks[index]) label.append(element("small", "", asked.remarks[index]));
  const bars = asked.counts.map((counts, vote) => {
    const length = element("i");
    length.style.setProperty("--share", counts[index] / most);
    const name = vote_name(vote, asked.counts.length);
    const told = { role: "img", "aria-label": `${counts[index]} chose it${name && `, ${name}`}` };
    const bar = element("div", vote === asked.counts.length - 1 ? "bar" : "bar earlier", told, length, element("span", "", counts[index]));
    if (name) bar.append(element("span", "vote", name));
    return bar;
  });
  const kind = `option shown${right ? " right" : ""}${index === now ? " mine" : ""}`;
  return element("div", kind, element("b", "", letter(index)), label, ...bars);
}

// What a bar of several is called: before and after the talk, or by number where there were more votes.
function vote_name(vote, votes) {
  if (votes === 1) return "";
  return votes === 2 ? ["before", "after"][vote] : `vote ${vote + 1}`;
}

function sentence(asked, now) {
  if (asked.revealed) {
    if (now === null) return `${letter(asked.right)} is right. You gave no answer.`;
    return now === asked.right ? `${letter(now)} is right, as you said.` : `${letter(asked.right)} is right. You said ${letter(now)}.`;
  }
  if (now !== null) return `Your answer is ${letter(now)}. You can change it until the answer is shown.`;
  return asked.answers.length > 1 ? "Asked again, after talking it over: choose once more." : "What do you expect? Choose one.";
}

function before(asked) {
  const first = asked.answers[asked.answers.length - 2];
  return first === null ? "In the vote before you gave no answer." : `In the vote before you said ${letter(first)}.`;
}
