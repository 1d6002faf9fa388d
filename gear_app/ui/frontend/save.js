// The buttons that save a chart of plotly's, which Streamlit draws beside this component: they show while the block that
// both stand in is pointed at, and always where nothing points.

import { buttons } from "./picture.js";

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".save");
  const chart = () => document.querySelector(`.st-key-${CSS.escape(data.chart)} .js-plotly-plot`);
  const bar = buttons(chart, data.name);
  root.replaceChildren(bar);
  const block = root.getRootNode().host?.closest("[data-testid=stVerticalBlock]");
  const show = () => bar.classList.add("shown");
  const hide = () => bar.classList.remove("shown");
  block?.addEventListener("pointerenter", show);
  block?.addEventListener("pointerleave", hide);
  return () => {
    block?.removeEventListener("pointerenter", show);
    block?.removeEventListener("pointerleave", hide);
  };
}
