// A page of runs that stands alone. The data names what is drawn, block by block: HTML that our views made (all text in
// it is escaped there), tables whose cells are set as text, and the pictures of the screen with their data. Left and Right
// step; the address after # says what is shown, so that it can be linked to.

const { button, element } = MODULES["dom.js"];
const page = document.getElementById("page");
const ROOTS = { strip: ["nav", "strip"], beam: ["div", "beam"], flow: ["div", "flow"], ranking: ["div", "ranking"], aligned: ["div", "aligned"], grid: ["div", "grid"] };
const state = { run: null, step: 0, k: "" };
let data;
let settled; // the part of the address that is drawn

// Markup of our views. The page's policy keeps any script from running in it.
function markup(html, className = "stHtml") {
  const made = element("div", className);
  made.innerHTML = html;
  return made;
}

function plain(words, act, label) {
  return button("plain", act, label ? { "aria-label": label } : undefined, words);
}

// A component of the screen in a shadow of its own, where its style sheet applies to nothing else.
function component(kind, shown, state_changed, triggered) {
  const host = element("div", "host");
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = element("style", "", `${SHEETS[kind]} .tools { display: none !important; } .wide { min-width: 800px; }`);
  const root = element(...ROOTS[kind]);
  shadow.append(sheet, root);
  if (kind === "strip") {
    root.setAttribute("aria-label", "Steps of the run");
    shadow.append(element("p", "announced", { role: "status" }));
  }
  const draw = () => {
    MODULES[KINDS[kind]].component_of({ data: shown, parentElement: shadow, setStateValue: state_changed, setTriggerValue: triggered });
    for (const link of shadow.querySelectorAll('a[href^="./explore?"]')) link.href = `#${link.getAttribute("href").split("?")[1]}`;
  };
  return { host, draw };
}

function folded(label, inside, open) {
  return element("details", "", open ? { open: "" } : undefined, element("summary", "", label), inside);
}

function table(block) {
  const head = element("tr", "", ...block.heads.map((name) => element("th", "", name)));
  const body = block.rows.map((cells) => element("tr", "", ...cells.map((cell) => element("td", "", { dir: "auto" }, String(cell)))));
  const scroll = element("div", "scroll", { tabindex: 0 }, element("table", "rows", head, ...body));
  return folded(block.table, scroll, block.open);
}

// Blocks in order; what is selected in a picture is shown by `details`.
function blocks(list, details) {
  const later = [];
  const made = list.map((block) => {
    if (block.picture) {
      const shown = block.data;
      const select = (name, value) => {
        if (name !== "selected") return;
        shown.selected = value;
        if (block.picture === "ranking") picture.draw();
        details(block.details[value]);
      };
      const trigger = (name, value) => {
        if (name === "more") picture.host.parentElement.querySelectorAll("details").forEach((one) => (one.open = true));
        else if (name === "go" || (name === "act" && value.what === "open")) go(value.run, value.step ?? null);
      };
      const picture = component(block.picture, shown, select, trigger);
      later.push(picture.draw);
      if (!later.said && Object.keys(block.details).length) later.said = block.details[shown.selected];
      return picture.host;
    }
    if (block.table) return table(block);
    if (block.fold) return folded(block.fold, markup(block.html));
    return markup(block.html);
  });
  const drawn = () => {
    later.forEach((one) => one());
    details(later.said); // of the first picture
  };
  return { made, drawn };
}

const card = (...children) => element("section", "box-card", ...children);

function step_to(number) {
  const run = data.runs[state.run];
  const last = run.steps.length - 1;
  go(run.id, Math.max(0, Math.min(last, number)));
}

function walk(run) {
  const back = plain("←", () => step_to(state.step - 1), "Previous step");
  const on = plain("→", () => step_to(state.step + 1), "Next step");
  back.disabled = state.step === 0;
  on.disabled = state.step === run.steps.length - 1;
  return element("div", "walk", back, element("span", "", `${state.step + 1} of ${run.steps.length}`), on);
}

// A card for the details, by name, of what is selected; it shows when something is.
function selection(by_name) {
  const selected = element("section", "box-card st-key-selected");
  selected.hidden = true;
  const details = (name) => {
    if (!name || !by_name[name]) return;
    selected.replaceChildren(markup(by_name[name]));
    selected.hidden = false;
  };
  return { selected, details };
}

function draw_run(run) {
  const step = run.steps[state.step];
  const { selected, details } = selection(run.details);
  const head = element("div", "stage-head", markup(step.title), walk(run));
  const drawn = blocks(step.blocks, details);
  const stage = card(head, ...step.queries.map((one) => markup(one)), ...drawn.made);
  const side = element("div", "side", selected, ...run.side.map((one) => card(markup(one))));
  const scene = element("div", "scene", stage, side);
  const strip = component("strip", { ...run.strip, current: state.step, said: step.said, live: false, run: run.id }, () => {}, (_, number) => step_to(number));
  const below = blocks(run.below, details);
  page.append(markup(run.head), strip.host);
  if (step.gold) page.append(card(markup(run.gold_title), markup(step.gold)));
  page.append(scene);
  if (step.memory) page.append(card(markup(run.memory_title), markup(step.memory)));
  page.append(...below.made, card(markup(run.about_title), markup(run.about, "stHtml about")));
  strip.draw();
  drawn.drawn();
  below.drawn();
}

function draw_comparison(shown) {
  const { selected, details } = selection(shown.details);
  const cuts = Object.keys(shown.cuts).map((k) => {
    const made = plain(k, () => ((state.k = k), draw()), `Look at the first ${k}`);
    made.setAttribute("aria-pressed", k === state.k);
    return made;
  });
  const choice = element("div", "walk", "Look at the first ", ...cuts);
  const drawn = shown.cuts[state.k].map((section) => blocks(section, details));
  page.append(markup(shown.head), choice);
  const [first, ...others] = drawn;
  const scene = element("div", "scene", card(...first.made), element("div", "side", selected));
  page.append(scene, ...others.map((one) => card(...one.made)));
  drawn.forEach((one) => one.drawn());
}

function top() {
  const made = element("header", "top");
  const back = element("span", "", data.back ? "" : data.name);
  if (data.back) back.append(element("a", "", { href: data.back.href }, data.back.words));
  if (data.comparison && state.run !== null) back.append(plain("Comparison", () => go(null, null)));
  made.append(back);
  made.append(plain("Save as JSON", save, "Save the runs that are in this page as JSON"));
  made.append(plain("Light or dark", turn_theme));
  return made;
}

function turn_theme() {
  const now = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

// What the page carries under a name, unpacked.
function carried(name) {
  const packed = Uint8Array.from(atob(document.getElementById(name).textContent), (one) => one.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}

// The runs as a file that the application imports.
async function save() {
  const link = element("a", "", { href: URL.createObjectURL(await carried("runs").blob()), download: data.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function draw() {
  page.replaceChildren(top());
  if (state.run === null) draw_comparison(data.comparison);
  else draw_run(data.runs[state.run]);
  page.append(element("footer", "gear-note", data.made));
  MODULES["pointing.js"].follow(page);
}

function go(run, step) {
  const address = new URLSearchParams(run === null ? {} : step === null ? { run } : { run, step });
  if (location.hash === `#${address}`) return;
  location.hash = address;
  settle(); // not when the browser tells: two keys can come before that
}

// What the address says, or what the page opens with.
function settle() {
  settled = location.hash;
  const said = new URLSearchParams(location.hash.slice(1));
  const found = data.runs.findIndex((run) => run.id === said.get("run"));
  if (found < 0) state.run = data.comparison ? null : 0;
  else state.run = found;
  if (state.run !== null) {
    const run = data.runs[state.run];
    const step = Number.parseInt(said.get("step") ?? run.opens, 10);
    state.step = Math.max(0, Math.min(run.steps.length - 1, Number.isNaN(step) ? run.opens : step));
  }
  draw();
}

function step_by_key(event) {
  if (state.run === null || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (event.key === "ArrowLeft") step_to(state.step - 1);
  else if (event.key === "ArrowRight") step_to(state.step + 1);
  else return;
  event.preventDefault();
}

async function open_page() {
  data = await carried("data").json();
  state.k = data.k;
  document.addEventListener("keydown", step_by_key);
  window.addEventListener("hashchange", () => location.hash === settled || settle());
  settle();
}

open_page();
