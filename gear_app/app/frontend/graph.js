// The neighbourhood of an entity, drawn by vis-network as pyvis describes it. The table on the page is the same in words.

import { ready } from "./dom.js";

const pictures = new WeakMap();

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

// vis-network comes from this server, which has it from the installed pyvis, and names itself in the window.
export default async function (component) {
  const root = component.parentElement.querySelector(".graph");
  const server = new URL(import.meta.url).href.replace(/_stcore\/.*$/, "");
  await Promise.all([import(new URL(component.data.library, server).href), document.fonts.ready]);
  draw(root, component);
  ready(component.parentElement);
}
