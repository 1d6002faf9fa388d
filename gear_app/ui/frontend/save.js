// The buttons that save a figure which Streamlit draws beside this component, a chart of plotly's or markup of ours: they
// show while the block that both stand in is pointed at, and always where nothing points.

import { buttons } from "./picture.js";

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".save");
  const bar = buttons(() => document.querySelector(data.figure), data.words);
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
