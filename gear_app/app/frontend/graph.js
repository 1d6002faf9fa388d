// The neighbourhood of an entity, drawn by vis-network as pyvis describes it. The table on the page is the same in words.

import { ready } from "./dom.js";

const pictures = new WeakMap();
let library = null;

// vis-network comes from this server, which has it from the installed pyvis.
function loaded(path) {
  if (window.vis?.Network) return Promise.resolve();
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(path, new URL(import.meta.url).href.replace(/_stcore\/.*$/, "")).href;
    script.onload = resolve;
    script.onerror = () => {
      library = null;
      reject(new Error("vis-network did not load"));
    };
    document.head.append(script);
  });
  return library;
}

function draw(root, { data, setStateValue, setTriggerValue }) {
  const written = JSON.stringify(data);
  if (pictures.get(root)?.written === written) return;
  pictures.get(root)?.network.destroy();
  root.style.height = `${data.height}px`;
  root.setAttribute("aria-label", data.label);
  const face = getComputedStyle(root).fontFamily;
  const faced = (ones) => ones.map((one) => ({ ...one, font: { ...one.font, face } }));
  const network = new window.vis.Network(root, { nodes: faced(data.nodes), edges: faced(data.edges) }, data.options);
  network.once("afterDrawing", () => network.fit({ maxZoomLevel: 1 }));
  network.on("click", ({ nodes, edges }) => {
    const node = data.nodes.find((one) => one.id === nodes[0]);
    if (node) setTriggerValue("walk", node.name);
    else if (edges.length) setStateValue("selected", edges[0]);
  });
  pictures.set(root, { network, written });
}

export default function (component) {
  const root = component.parentElement.querySelector(".graph");
  Promise.all([loaded(component.data.library), document.fonts.ready])
    .then(() => draw(root, component))
    .catch((error) => {
      root.textContent = "The graph could not be drawn. The table lists all of it.";
      throw error; // to the browser's console
    })
    .finally(() => ready(component.parentElement));
}
