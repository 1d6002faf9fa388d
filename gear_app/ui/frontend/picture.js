// A figure as a file: what is drawn, with the colours and the font it is seen in, as SVG or PNG. Lines and cards that are
// drawn as SVG are copied; words and boxes beside them, as in the aligned rankings, are drawn at their places.

const SVG = "http://www.w3.org/2000/svg";
const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity", "display",
  "font-family", "font-size", "font-weight", "font-style", "text-anchor", "text-decoration-line", "paint-order", "visibility",
];
const HIDDEN = "title, button.save, .tools, .announced";
const SHARP = 2; // pixels of a PNG for each of the screen's

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Words keep their width, also where whoever opens the file has another font.
function fitted(made, width) {
  if (!width) return;
  made.setAttribute("textLength", width.toFixed(1));
  made.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

// A copy that keeps its looks without any style sheet.
function copied(drawn) {
  const copy = drawn.cloneNode(true);
  const [from, to] = [[drawn, ...drawn.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((one, at) => {
    const style = getComputedStyle(one);
    for (const name of KEPT) to[at].style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["class", "tabindex", "role", "data-card", "data-entity"]) to[at].removeAttribute(name);
    if (one.localName === "text") fitted(to[at], one.getComputedTextLength());
  });
  copy.querySelectorAll("title").forEach((one) => one.remove());
  return copy;
}

// A box with a border or a ground of its own, at its place.
function box(one, at) {
  const style = getComputedStyle(one);
  const place = one.getBoundingClientRect();
  const edge = parseFloat(style.borderTopWidth) || 0;
  const ground = style.backgroundColor;
  if ((!edge && /, 0\)$/.test(ground)) || !place.width || style.visibility === "hidden") return null;
  return svg("rect", {
    x: place.left - at.left + edge / 2,
    y: place.top - at.top + edge / 2,
    width: Math.max(0, place.width - edge),
    height: Math.max(0, place.height - edge),
    rx: parseFloat(style.borderTopLeftRadius) || 0,
    fill: ground,
    stroke: edge ? style.borderTopColor : "none",
    "stroke-width": edge,
    "stroke-dasharray": style.borderTopStyle === "dashed" ? "4 3" : "none",
    opacity: style.opacity,
  });
}

// A run of words at its place, cut where its box cuts it.
function words(node, at) {
  const text = node.textContent.trim();
  const range = document.createRange();
  range.selectNodeContents(node);
  const place = range.getBoundingClientRect();
  if (!text || !place.width) return null;
  const style = getComputedStyle(node.parentElement);
  const wide = node.parentElement.getBoundingClientRect().width;
  const share = Math.min(1, wide / place.width);
  const made = svg("text", {
    x: place.left - at.left,
    y: place.top - at.top + place.height * 0.76,
    fill: style.color,
    "font-family": style.fontFamily,
    "font-size": style.fontSize,
    "font-weight": style.fontWeight,
  });
  fitted(made, Math.min(wide, place.width));
  made.textContent = share < 0.98 ? `${text.slice(0, Math.max(1, Math.floor(text.length * share) - 1)).trimEnd()}…` : text;
  return made;
}

// Everything in `root` as one picture.
export function picture(root) {
  const at = root.getBoundingClientRect();
  const [width, height] = [Math.max(root.scrollWidth, at.width), Math.max(root.scrollHeight, at.height)].map(Math.ceil);
  const ground = getComputedStyle(root).getPropertyValue("--gear-background").trim() || "#ffffff";
  const made = svg("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  made.append(svg("rect", { width, height, fill: ground }));
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    const one = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (one.matches?.(HIDDEN)) return NodeFilter.FILTER_REJECT;
    return one.ownerSVGElement ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  });
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      const said = words(node, at);
      if (said) made.append(said);
    } else if (node.namespaceURI === SVG) {
      const place = node.getBoundingClientRect();
      const copy = copied(node);
      copy.setAttribute("x", place.left - at.left + root.scrollLeft);
      copy.setAttribute("y", place.top - at.top + root.scrollTop);
      made.append(copy);
    } else {
      const drawn = box(node, at);
      if (drawn) made.append(drawn);
    }
  }
  return made;
}

// Let the browser save something under a name.
export function hand_over(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function as_svg(root) {
  return new Blob([new XMLSerializer().serializeToString(picture(root))], { type: "image/svg+xml" });
}

async function as_png(root) {
  const image = new Image();
  image.src = URL.createObjectURL(as_svg(root));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * SHARP;
  canvas.height = image.height * SHARP;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// Two quiet buttons in a corner of the figure, on top or `below`, which show when it is pointed at or they are reached by Tab.
export function offer(root, name, below) {
  const host = root.parentNode;
  if (host.querySelector(".save-figure")) return;
  const style = document.createElement("style");
  style.textContent = `.save-figure { display: flex; gap: 4px; justify-content: flex-end; height: 0; position: relative; z-index: 2; }
    .save-figure.below { transform: translateY(-22px); }
    .save-figure button { font: inherit; font-size: 11.5px; height: 20px; padding: 0 7px; border: 1px solid var(--gear-grid); border-radius: 6px;
      background: var(--gear-background); color: var(--gear-muted-text); cursor: pointer; opacity: 0; }
    .save-figure:hover button, .save-figure:has(+ *:hover) button, *:hover + .save-figure.below button, .save-figure button:focus-visible { opacity: 1; }
    .save-figure button:focus-visible { outline: 2px solid var(--gear-kept); outline-offset: 1px; }
    .save-figure button:hover { color: var(--gear-text); border-color: var(--gear-kept); }
    @media (hover: none) { .save-figure button { opacity: 1; } } @media print { .save-figure { display: none; } }`;
  const bar = document.createElement("div");
  bar.className = below ? "save-figure below" : "save-figure";
  for (const [kind, made] of [["SVG", as_svg], ["PNG", as_png]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("aria-label", `Save this figure as ${kind}`);
    button.addEventListener("click", async () => hand_over(await made(root), `${name}.${kind.toLowerCase()}`));
    bar.append(button);
  }
  host.insertBefore(style, root);
  host.insertBefore(bar, below ? root.nextSibling : root);
}
