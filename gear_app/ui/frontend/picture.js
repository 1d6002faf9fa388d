// A figure as a file: what is drawn, with the colours and the font it is seen in, as SVG or PNG. Lines and cards that are
// drawn as SVG are copied; words and boxes beside them, as in the aligned rankings, are drawn at their places.

import { SVG, element, svg } from "./dom.js";

const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity", "display",
  "font-family", "font-size", "font-weight", "font-style", "text-anchor", "text-decoration-line", "paint-order", "visibility",
];
const HIDDEN = "title, button.save, .tools, .announced";
const SHARP = 2; // pixels of a PNG for each of the screen's

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

// A ground with lines or dots, which tell parts of a bar apart in print: its name, and the pattern of that name.
const TEXTURES = {
  "repeating-linear-gradient(90deg": ["upright", "M1,0 V5"],
  "repeating-linear-gradient(-45deg": ["slanted", "M-1,1 L1,-1 M0,5 L5,0 M4,6 L6,4"],
  "radial-gradient(": ["dotted", "M2.5,2.5 h0.01"],
};

function texture(style) {
  const found = Object.entries(TEXTURES).find(([begins]) => style.backgroundImage.startsWith(begins));
  if (!found) return null;
  const [name, lines] = found[1];
  const ink = style.getPropertyValue("--gear-kept").trim();
  const dotted = name === "dotted"; // light dots on a ground of ink, where the others are ink on a light ground
  const paper = style.getPropertyValue("--gear-background").trim();
  const made = svg("pattern", { id: name, width: 5, height: 5, patternUnits: "userSpaceOnUse" });
  made.append(
    svg("rect", { width: 5, height: 5, fill: dotted ? ink : paper }),
    svg("path", { d: lines, stroke: dotted ? paper : ink, "stroke-width": dotted ? 2.4 : 1.8, "stroke-linecap": dotted ? "round" : "butt" }),
  );
  return made;
}

// A cell with a line above it and perhaps a ground.
function ruled(one, at) {
  const style = getComputedStyle(one);
  const place = one.getBoundingClientRect();
  const [x, y] = [place.left - at.left, place.top - at.top];
  const made = svg("g", {});
  if (!/, 0\)$/.test(style.backgroundColor)) made.append(svg("rect", { x, y, width: place.width, height: place.height, fill: style.backgroundColor }));
  const dashes = { dashed: "4 3", dotted: "2 3" }[style.borderTopStyle] || "none";
  const line = { x1: x, x2: x + place.width, y1: y, y2: y, stroke: style.borderTopColor, "stroke-width": parseFloat(style.borderTopWidth) };
  made.append(svg("line", { ...line, "stroke-dasharray": dashes }));
  return made;
}

// A mark that the style sheet draws before a thing's words: a dot, a diamond, a stripe.
function mark(one, at) {
  const style = getComputedStyle(one, "::before");
  const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
  if (style.content === "none" || style.position !== "absolute" || !(width > 0 && height > 0)) return null;
  const edge = parseFloat(style.borderTopWidth) || 0;
  if (!edge && /, 0\)$/.test(style.backgroundColor)) return null;
  const place = one.getBoundingClientRect();
  const [x, y] = [place.left - at.left + parseFloat(style.left), place.top - at.top + parseFloat(style.top)];
  const turned = style.transform === "none" ? "" : ` ${style.transform}`;
  const [half, deep] = [width / 2, height / 2];
  return svg("rect", {
    x: edge / 2 - half,
    y: edge / 2 - deep,
    width: Math.max(0, width - edge),
    height: Math.max(0, height - edge),
    rx: style.borderTopLeftRadius.endsWith("%") ? half : parseFloat(style.borderTopLeftRadius) || 0,
    fill: style.backgroundColor,
    stroke: edge ? style.borderTopColor : "none",
    "stroke-width": edge,
    transform: `translate(${x + half} ${y + deep})${turned}`,
  });
}

// A box with a border or a ground of its own, at its place; a textured one has its pattern with it.
function box(one, at) {
  const style = getComputedStyle(one);
  const place = one.getBoundingClientRect();
  const pattern = texture(style);
  if (pattern && place.width) {
    const made = svg("g", {});
    const ink = style.getPropertyValue("--gear-kept").trim();
    const at_its_place = { x: place.left - at.left, y: place.top - at.top, width: place.width, height: place.height };
    made.append(pattern, svg("rect", { ...at_its_place, fill: `url(#${pattern.id})`, stroke: ink, "stroke-width": 0.8 }));
    return made;
  }
  const edge = parseFloat(style.borderTopWidth) || 0;
  const ground = style.backgroundColor;
  if ((!edge && /, 0\)$/.test(ground)) || !place.width || style.visibility === "hidden") return null;
  if (edge && !parseFloat(style.borderRightWidth)) return ruled(one, at);
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
      copy.setAttribute("width", place.width); // it may be the style sheet's
      copy.setAttribute("height", place.height);
      made.append(copy);
    } else {
      made.append(...[box(node, at), mark(node, at)].filter(Boolean));
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

const STYLE = `.save-figure { display: flex; gap: 4px; justify-content: flex-end; height: 0; position: relative; z-index: 2; font-family: var(--st-font); }
  .save-figure.below { transform: translateY(-22px); } .save-figure.apart { height: 22px; } .save-figure.beside + h2 { padding-inline-end: 92px; }
  .save-figure.save-figure button { font: inherit; font-size: 11.5px; line-height: 18px; height: 20px; padding: 0 7px; border: 1px solid var(--gear-grid); border-radius: 6px;
    background: var(--gear-background); color: var(--gear-muted-text); cursor: pointer; opacity: 0; }
  .save-figure:hover button:nth-of-type(n), .save-figure.shown button:nth-of-type(n), .save-figure:has(+ *:hover) button:nth-of-type(n), .save-figure.beside:has(~ *:hover) button:nth-of-type(n), *:hover + .save-figure.below button, .save-figure.save-figure button:focus-visible { opacity: 1; }
  .save-figure button:focus-visible { outline: 2px solid var(--gear-kept); outline-offset: 1px; }
  .save-figure.save-figure button:hover { color: var(--gear-text); border-color: var(--gear-kept); }
  @media (hover: none) { .save-figure:not(:has(+ h2)) { height: 24px; transform: none; } .save-figure.save-figure button { opacity: 1; } } @media print { .save-figure { display: none; } }`;

// Two quiet buttons that save what `figure` returns, an element; they show when it is pointed at or they are reached by Tab.
// `words` name the figure, and become the name of its files.
export function buttons(figure, words) {
  const name = words.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "figure";
  const bar = element("div", "save-figure");
  bar.append(element("style", "", STYLE));
  for (const [kind, made] of [["SVG", as_svg], ["PNG", as_png]]) {
    const button = element("button", "", kind);
    button.type = "button";
    button.setAttribute("aria-label", `Save this figure as ${kind}`);
    button.addEventListener("click", async () => {
      const drawn = figure(); // none before plotly has drawn it
      if (drawn) hand_over(await made(drawn), `${name}.${kind.toLowerCase()}`);
    });
    bar.append(button);
  }
  return bar;
}

// These buttons in a corner of a figure: on top, "below", "beside" its heading if one precedes it, or "apart" where its
// corners are full.
export function offer(root, words, place = "") {
  if (root.parentNode.querySelector(":scope > .save-figure")) return;
  const bar = buttons(() => root, words);
  if (place) bar.classList.add(place);
  const before = root.previousElementSibling;
  if (place === "below") root.after(bar);
  else if (place === "beside" && before?.localName === "h2") before.before(bar);
  else root.before(bar);
}
