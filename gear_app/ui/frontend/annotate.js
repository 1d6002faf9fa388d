// Queue and form of Annotate: one owner of the keyboard. What is said is shown at once and sent as a list of all that was not yet
// acknowledged, so that nothing is lost however fast somebody types. The run between them is drawn by the page; words are
// textContent only.

import { button, element, ready } from "./dom.js";

const desks = new WeakMap();
const EMPTY = { note: "", category: "", verdict: "", severity: "", step: "", confirmed: null, complete: false };
const SIGNS = { open: "○", begun: "◐", deferred: "◔", done: "✓" };
const QUIET_MS = 2000; // without a key, after which a note is saved
const RELEASES = ["mouseup", "dragend"];
const KEYS = [
  ["← →", "item before, item after"],
  ["↑ ↓", "field above, field below"],
  ["1 – 9", "the option with that number"],
  ["[ ]", "the option before, the option after: those beyond the ninth have no number"],
  ["Enter", "write the note; commit and go to the next field, as Tab does"],
  ["Shift Enter", "a new line in the note"],
  ["Esc", "leave the note"],
  ["Ctrl Enter", "complete the run and go on to the next"],
  ["Z", "undo the last change of this run"],
  ["O", "open the run in Explore, at the step at fault"],
  ["?", "this list"],
];

// A category has a number of its own, the same where others are not offered.
const numberOf = (option, place) => option.number || place + 1;

const key = (words) => element("span", "keys", ...words.split(" ").map((one) => element("kbd", "", one)));

class Desk {
  constructor(root, send, open) {
    Object.assign(this, { root, send, open, outbox: [], seq: 0, mine: new Map(), past: new Map(), at: 0, here: null, hint: "" });
    this.held = this.waits = false; // the mouse is down on the desk; it is to be drawn when it is let go
    this.client = crypto.getRandomValues(new Uint32Array(2)).join("-");
    const asked = "What went wrong, in your words";
    this.queue = element("section", "queue", { "aria-label": "Queue" });
    this.note = element("textarea", "", { rows: 4, maxlength: 10000, dir: "auto", "aria-label": asked, placeholder: `${asked} (Enter writes)` });
    this.note.addEventListener("input", () => this.typed());
    this.note.addEventListener("focus", () => this.go(0));
    this.note.addEventListener("blur", () => this.saveNote());
    this.head = element("div", "head");
    this.noteBox = element("fieldset", "", element("legend", "", "What went wrong"), this.note);
    this.noteBox.addEventListener("click", () => this.go(0));
    this.rest = element("div");
    // The note stays where it is, and the keyboard in it.
    this.form = element("section", "form", { "aria-label": "Judgement" }, this.head, this.noteBox, this.rest);
    this.live = element("p", "announced", { role: "status" });
    this.sheet = this.cheatSheet();
    root.replaceChildren(this.queue, this.form, this.live, this.sheet);
    this.listen = (event) => this.pressed(event);
    this.release = () => setTimeout(() => this.released()); // the click comes after the mouse is let go
    document.addEventListener("keydown", this.listen, true);
    root.addEventListener("mousedown", () => (this.held = true), true);
    for (const name of RELEASES) document.addEventListener(name, this.release, true);
  }

  leave() {
    document.removeEventListener("keydown", this.listen, true);
    for (const name of RELEASES) document.removeEventListener(name, this.release, true);
  }

  cheatSheet() {
    const list = KEYS.flatMap(([keys, words]) => [element("dt", "", key(keys)), element("dd", "", words)]);
    const foot = element("p", "quiet", "Keys rest while you type. Everything is saved at once.");
    const close = button("", () => made.close(), "Close");
    const made = element("dialog", "sheet", { "aria-label": "Keys" }, element("h2", "", "Keys"), element("dl", "", ...list), foot, close);
    return made;
  }

  take(data) {
    this.data = data;
    const seen = data.acknowledged[this.client] || 0;
    this.outbox = this.outbox.filter((one) => one.seq > seen);
    const waiting = new Set(this.outbox.map((one) => one.case));
    for (const id of [...this.mine.keys()]) if (!waiting.has(id)) this.mine.delete(id);
    if (!this.outbox.length || !data.places.some((one) => one.case === this.here)) this.arrive(data.here);
    if (!this.typing()) this.note.value = this.label().note;
    this.at = Math.min(this.at, this.fields().length - 1);
    this.draw();
  }

  arrive(id) {
    if (this.here === id) return;
    this.here = id;
    this.at = 0;
    this.note.value = this.label().note;
  }

  place() {
    return this.data.places.find((one) => one.case === this.here);
  }

  label(id = this.here) {
    const place = this.data.places.find((one) => one.case === id);
    return this.mine.get(id) || (place && place.label) || EMPTY;
  }

  state(place) {
    const label = this.label(place.case);
    if (!label.complete) return Object.keys(EMPTY).every((name) => label[name] === EMPTY[name]) ? "open" : "begun";
    return label.verdict === "defer" ? "deferred" : "done";
  }

  fields() {
    const place = this.place();
    if (!place) return [];
    const steps = this.data.steps[this.here] || [];
    const found = [
      { name: "note", title: "What went wrong" },
      { name: "category", title: "Category", options: this.data.categories[place.method] || [] },
      { name: "verdict", title: "Verdict", options: this.data.verdicts, row: true },
      { name: "severity", title: "Severity", options: this.data.severities, row: true },
      { name: "step", title: "Step at fault", options: [{ value: "", name: "whole run" }, ...steps], row: true },
    ];
    if (this.data.suggested[this.here]) {
      const options = [{ value: true, name: "Confirm" }, { value: false, name: "Not this" }];
      found.push({ name: "confirmed", title: "Suggested cause", options, row: true });
    }
    return found;
  }

  typing() {
    return this.root.getRootNode().activeElement === this.note;
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.saveNote(), QUIET_MS);
  }

  saveNote() {
    clearTimeout(this.timer);
    if (this.place() && this.note.value !== this.label().note) this.say({ note: this.note.value });
  }

  say(change, more = {}) {
    this.past.set(this.here, [...(this.past.get(this.here) || []), this.label()]);
    this.save({ ...this.label(), complete: false, ...change }, more);
  }

  save(label, more = {}) {
    this.mine.set(this.here, label);
    this.post({ kind: "label", case: this.here, run: this.place().run, label, ...more });
  }

  post(entry) {
    this.seq += 1;
    this.outbox.push({ ...entry, seq: this.seq, client: this.client });
    this.send([...this.outbox]);
    this.draw();
  }

  choose(field, option) {
    if (!option) return;
    const at = this.fields().indexOf(field);
    this.at = Math.min((at < 0 ? this.at : at) + 1, this.fields().length - 1);
    this.move(field, option);
  }

  // Chooses and stays, so that the key can be pressed again.
  move(field, option) {
    if (!option) return;
    this.hint = "";
    this.live.textContent = `${field.title}: ${option.name}`;
    this.say({ [field.name]: option.value });
  }

  go(at) {
    if (this.at === at) return;
    this.at = Math.max(0, Math.min(at, this.fields().length - 1));
    const field = this.fields()[this.at];
    this.live.textContent = field ? field.title : "";
    this.draw();
  }

  goTo(id) {
    if (!id || id === this.here) return;
    this.saveNote();
    this.hint = "";
    this.arrive(id);
    this.post({ kind: "go", case: id });
  }

  step(by) {
    const ids = this.data.places.map((one) => one.case);
    this.goTo(ids[ids.indexOf(this.here) + by]);
  }

  complete() {
    if (!this.place()) return;
    const label = { ...this.label(), note: this.note.value };
    const fails = label.verdict === "fail" && !label.category;
    if (!label.verdict || fails) {
      this.note.blur();
      this.hint = fails ? "A failure needs a category." : "Choose a verdict first.";
      this.live.textContent = this.hint;
      this.at = fails ? 1 : 2;
      this.draw();
      return;
    }
    clearTimeout(this.timer);
    const places = this.data.places;
    const now = places.findIndex((one) => one.case === this.here);
    const rest = [...places.slice(now + 1), ...places.slice(0, now)];
    const next = rest.find((one) => ["open", "begun"].includes(this.state(one)));
    this.hint = "";
    this.say({ ...label, complete: true }, { next: next ? next.case : "" });
    this.note.blur();
    this.live.textContent = next ? `Saved. Next: ${next.question}` : "Saved.";
    if (next) this.arrive(next.case);
    this.draw();
  }

  undo() {
    if (!this.place()) return;
    this.saveNote();
    const before = (this.past.get(this.here) || []).pop();
    if (!before) return;
    this.live.textContent = "Undone.";
    this.note.value = before.note;
    this.save(before, { next: this.here });
  }

  pressed(event) {
    if (!this.root.isConnected) return this.leave();
    if (event.altKey || event.metaKey || event.isComposing || !this.data) return undefined;
    const target = event.composedPath()[0];
    if (this.sheet.open) {
      if (event.key === "?" || event.key === "Escape") this.stop(event, () => this.sheet.close());
      return undefined;
    }
    if (target === this.note) return this.pressedInNote(event);
    const words = target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
    if (words || document.querySelector('[role="dialog"]')) return undefined;
    if (event.ctrlKey) return event.key === "Enter" ? this.stop(event, () => this.complete()) : undefined;
    const role = target instanceof HTMLElement ? target.getAttribute("role") : "";
    const theirs = target instanceof HTMLElement && target.matches("button, a, summary, [role=tab], [role=button]");
    if (theirs && (["Enter", " "].includes(event.key) || role === "tab")) return undefined;
    const act = this.acts(event);
    return act ? this.stop(event, act) : undefined;
  }

  stop(event, act) {
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  pressedInNote(event) {
    if (event.key === "Enter" && event.ctrlKey) return this.stop(event, () => this.complete());
    if (["Enter", "Tab"].includes(event.key) && !event.shiftKey) {
      return this.stop(event, () => {
        this.note.blur();
        this.go(1);
      });
    }
    if (event.key === "Escape") return this.stop(event, () => this.note.blur());
    event.stopPropagation(); // no shortcut of the page takes what is typed
    return undefined;
  }

  acts(event) {
    const field = this.fields()[this.at];
    const options = (field && field.options) || [];
    const value = field && this.label()[field.name];
    const chosen = options.findIndex((one) => one.value === value);
    if (/^[1-9]$/.test(event.key) && options.length) {
      const numbered = options.find((one, place) => numberOf(one, place) === Number(event.key));
      return () => this.choose(field, numbered);
    }
    const acts = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      ArrowUp: () => this.go(this.at - 1),
      ArrowDown: () => this.go(this.at + 1),
      Enter: () => (this.at === 0 ? this.note.focus() : this.go(this.at + 1)),
      "[": () => this.move(field, options[chosen < 0 ? options.length - 1 : chosen - 1]),
      "]": () => this.move(field, options[chosen + 1]),
      z: () => this.undo(),
      Z: () => this.undo(),
      o: () => this.openRun(),
      O: () => this.openRun(),
      "?": () => this.sheet.showModal(),
    };
    return acts[event.key];
  }

  openRun() {
    const place = this.place();
    if (place) this.open({ run: place.run, step: this.label().step });
  }

  released() {
    const waits = this.waits;
    this.held = this.waits = false;
    if (waits) this.draw();
  }

  // A button that is drawn anew while the mouse is down on it gets no click: leaving the note saves it, and that draws.
  draw() {
    if (!this.data) return;
    if (this.held) {
      this.waits = true;
      return;
    }
    this.drawQueue();
    this.drawForm();
  }

  drawQueue() {
    const { counts, places } = this.data;
    const head = element("div", "head", element("b", "", `${counts.done} of ${counts.all}`), element("span", "quiet", counts.words));
    const part = (name, number) => {
      const made = element("i", name);
      made.style.flexGrow = number;
      return made;
    };
    const parts = [part("done", counts.done - counts.deferred), part("deferred", counts.deferred), part("rest", counts.all - counts.done)];
    const bar = element("div", "bar", ...parts);
    const list = element("ol", "places");
    if (counts.before) list.append(element("li", "quiet cut", `${counts.before} before`));
    for (const place of places) {
      const state = this.state(place);
      const here = place.case === this.here;
      const one = button(
        `place ${state}`,
        () => this.goTo(place.case),
        element("span", "sign", { role: "img", "aria-label": `${state}: ` }, SIGNS[state]),
        element("span", "words", { dir: "auto" }, place.question),
        element("span", "aside", place.aside),
        here ? { "aria-current": "true" } : {},
      );
      list.append(element("li", here ? "here" : "", one));
    }
    if (counts.after) list.append(element("li", "quiet cut", `${counts.after} more`));
    const foot = element("p", "foot quiet", key("← →"), " item");
    const top = this.queue.querySelector(".places")?.scrollTop || 0;
    this.queue.replaceChildren(head, bar, list, foot);
    list.scrollTop = top;
    const here = list.querySelector(".here");
    if (here && (here.offsetTop < list.scrollTop || here.offsetTop + here.offsetHeight > list.scrollTop + list.clientHeight)) {
      list.scrollTop = here.offsetTop - list.clientHeight / 3;
    }
  }

  drawForm() {
    const place = this.place();
    this.head.hidden = this.noteBox.hidden = !place;
    if (!place) {
      this.rest.replaceChildren(element("p", "quiet", this.data.empty));
      return;
    }
    const number = this.data.counts.before + this.data.places.indexOf(place) + 1;
    const words = `run ${number} of ${this.data.counts.all}`;
    this.head.replaceChildren(element("b", "", "Judgement"), element("span", "quiet", words));
    this.noteBox.className = this.at === 0 ? "now" : "";
    const fields = this.fields().slice(1);
    const foot = element("div", "foot", button("complete", () => this.complete(), "Complete, next"), key("Ctrl Enter"));
    const hint = element("p", "hint", { role: "alert" }, this.hint);
    const parts = fields.map((field, at) => this.drawField(field, at + 1));
    if (!this.data.suggested[this.here]) parts.push(element("p", "hidden-cause quiet", this.data.hidden));
    parts.push(hint, foot, this.drawHelp());
    this.rest.replaceChildren(...parts);
    const spot = `${this.here} ${this.at}`;
    if (this.drawn !== spot) this.reveal(this.form.querySelector("fieldset.now"));
    this.drawn = spot;
  }

  // Scrolls the form; the page only where a key led to a field that the window's edge still cuts off.
  reveal(field) {
    if (!field) return;
    const { top, bottom } = this.form.getBoundingClientRect();
    const box = field.getBoundingClientRect();
    if (box.bottom > bottom - 12) this.form.scrollTop += box.bottom - bottom + 12;
    else if (box.top < top) this.form.scrollTop -= top - box.top + 12;
    if (this.drawn && field.getBoundingClientRect().bottom > innerHeight) field.scrollIntoView({ block: "end" });
  }

  drawField(field, at) {
    const now = at === this.at;
    const box = element("fieldset", now ? "now" : "", element("legend", "", field.title));
    box.addEventListener("click", () => now || this.go(at));
    if (field.name === "confirmed") {
      box.append(element("ul", "causes", ...this.data.suggested[this.here].map((words) => element("li", "", words))));
    }
    const value = this.label()[field.name];
    const list = element("div", field.row ? "options row" : "options");
    field.options.forEach((option, place) => {
      const chosen = value === option.value && (value !== "" || this.label().complete || now);
      const act = (event) => {
        event.stopPropagation();
        this.choose(field, option);
      };
      const one = button(chosen ? "option chosen" : "option", act, { "aria-pressed": chosen });
      const number = numberOf(option, place);
      if (number < 10) one.append(element("kbd", "", String(number)));
      one.append(element("span", "", option.name));
      if (option.source) one.append(element("small", "", option.source));
      if (option.about && chosen) one.append(element("span", "about", option.about));
      if (option.about) one.title = option.about;
      list.append(one);
    });
    box.append(list);
    if (now && field.options.length > 9) box.append(element("p", "quiet", key("[ ]"), " the option before, after"));
    return box;
  }

  drawHelp() {
    const help = button("help", () => this.sheet.showModal(), element("kbd", "", "?"), "All keys");
    return element("div", "help-line", key("Z"), element("span", "quiet", "undo"), help);
  }
}

export default function (component) {
  ready(component.parentElement);
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const root = parentElement.querySelector(".annotate");
  let desk = desks.get(root);
  if (!desk) {
    desk = new Desk(
      root,
      (outbox) => setStateValue("outbox", outbox),
      (run) => setTriggerValue("open", run),
    );
    desks.set(root, desk);
  }
  desk.take(data);
  return () => {
    if (!root.isConnected) desk.leave();
  };
}
