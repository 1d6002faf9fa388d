// Elements by name. What people and models wrote is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// What follows the class is what is in it, words and elements, and, as objects, attributes.
export function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  for (const one of content) {
    if (one === undefined || one === null || one === "") continue;
    if (one instanceof Node || typeof one !== "object") made.append(one);
    else for (const [key, value] of Object.entries(one)) made.setAttribute(key, value);
  }
  return made;
}

export function button(className, act, ...content) {
  const made = element("button", className, { type: "button" }, ...content);
  made.addEventListener("click", act);
  return made;
}

// A link whose click does something here; a new tab or window follows its address.
export function link(className, href, act, ...content) {
  const made = element("a", className, { href }, ...content);
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act();
  });
  return made;
}

export function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A page is shown when all its components are drawn (style.css): this one is, or is in the very same turn.
export function ready(parent) {
  parent.getRootNode().host?.setAttribute("data-drawn", "");
}

// The way of a line that leaves and arrives level.
export function curve(x1, y1, x2, y2) {
  const bend = (x2 - x1) / 2;
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}

const observers = new WeakMap();

// Draw now, and again at another size, as once the styles are there; what ends it.
export function redrawn(root, draw) {
  let [width, height] = [root.clientWidth, root.clientHeight]; // before anything is drawn: what is drawn may bring a scrollbar
  draw();
  observers.get(root)?.disconnect();
  const observer = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) < 4 && root.clientHeight === height) return;
    [width, height] = [root.clientWidth, root.clientHeight];
    draw();
  });
  observer.observe(root);
  observers.set(root, observer);
  return () => observer.disconnect();
}
