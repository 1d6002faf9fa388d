// The sheet of keys, in the frame of every page: by its button, and by ? where nothing is typed. It is there as long as the
// page is, so that it opens without asking the server.

const FIELDS = "input, textarea, select, [contenteditable], dialog";

function typed(event) {
  return event.composedPath().some((one) => one.matches?.(FIELDS));
}

export default function (component) {
  const root = component.parentElement;
  const [opener, sheet] = ["button.open", "dialog"].map((one) => root.querySelector(one));
  const open = () => sheet.open || sheet.showModal();
  opener.onclick = open;
  sheet.querySelector(".close").onclick = () => sheet.close();
  sheet.onclick = (event) => {
    if (event.target === sheet) sheet.close(); // beside the sheet
  };
  sheet.onkeydown = (event) => {
    if (event.key !== "Escape") event.stopPropagation(); // the page below listens to arrows and letters
    if (event.key === "?") sheet.close();
  };
  const listen = (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typed(event)) return;
    event.preventDefault();
    open();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}
