// One behaviour of all pictures that are laid out by their width: they are drawn anew when it changes.

const observers = new WeakMap();

// Draw now, and again at another width; what ends it.
export function redrawn(root, draw) {
  let width = root.clientWidth; // before anything is drawn: what is drawn may bring a scrollbar
  draw();
  observers.get(root)?.disconnect();
  const observer = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) < 4) return;
    width = root.clientWidth;
    draw();
  });
  observer.observe(root);
  observers.set(root, observer);
  return () => observer.disconnect();
}
