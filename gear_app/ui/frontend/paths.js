// One behaviour of all pictures made of cards and lines: a card that is selected or pointed at brings out what lies on the
// paths through it, and what is off them is dimmed. Cards have data-card, lines data-from and data-to.

// The cards on the paths through a card: back from it and on from it.
function through(id, links) {
  const cards = new Set([id]);
  for (const [near, far] of [["to", "from"], ["from", "to"]]) {
    const queue = [id];
    while (queue.length) {
      const here = queue.pop();
      for (const link of links) {
        if (link[near] === here && !cards.has(link[far])) {
          cards.add(link[far]);
          queue.push(link[far]);
        }
      }
    }
  }
  return cards;
}

// The cards at the other ends of a card's own lines.
function beside(id, links) {
  return new Set([id, ...links.flatMap((link) => (link.from === id ? [link.to] : link.to === id ? [link.from] : []))]);
}

// `direct`: only the lines at the card itself count, and those that are hidden otherwise are shown. No card: all is equal.
export function bring_out(root, id, { links, direct }) {
  const cards = id ? (direct ? beside(id, links) : through(id, links)) : null;
  root.querySelectorAll(".line, .tag").forEach((made) => {
    const { from, to } = made.dataset;
    const on = cards && (direct ? from === id || to === id : cards.has(from) && cards.has(to));
    made.classList.toggle("on", Boolean(on));
    made.classList.toggle("off", Boolean(cards && !on));
    made.classList.toggle("shown", Boolean(on));
  });
  root.querySelectorAll("[data-card]").forEach((made) => {
    made.classList.toggle("off", Boolean(cards && !cards.has(made.dataset.card)));
  });
}

const LOOK_MS = 100;
const LOOKS = 100;

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const drawn = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
const shown = () => document.querySelector(".st-key-selected");
const covered = () => document.querySelector("[data-testid=stHeader]")?.getBoundingClientRect().bottom ?? 0;

// Where the details stand outside the window, as on a phone, bring them into view once the page has drawn them. A busy
// machine begins late: what stands there at first is another card's.
export async function show_details() {
  const before = shown()?.textContent;
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(LOOK_MS);
    if (!drawn() || shown()?.textContent === before) continue;
    const top = shown()?.getBoundingClientRect().top;
    if (top > innerHeight - 80 || top < covered()) shown().scrollIntoView({ block: "nearest" }); // a smooth one can be lost
    return;
  }
}
