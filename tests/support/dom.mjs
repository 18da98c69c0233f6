// A document of the little that the page's scripts ask for, and what a screen reader makes of it.

class Element {
  constructor(name) { Object.assign(this, { name, attributes: {}, children: [], dataset: {}, listeners: {} }); }
  addEventListener(what, act) { this.listeners[what] = act; }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  append(...more) { this.children.push(...more); }
  replaceChildren(...more) { this.children = more; }
  cloneNode() { return this; }
}

globalThis.document = {
  createElement: (name) => new Element(name), createElementNS: (space, name) => new Element(name), getElementById: () => null,
};

/** A place to draw in. */
export const place = () => new Element("div");

/** What is read aloud. */
export function heard(one) {
  if (!(one instanceof Element)) return String(one);
  if (one.attributes["aria-hidden"] === "true") return "";
  return one.attributes["aria-label"] ?? one.children.map(heard).join("");
}

/** All elements of a name, in order. */
export function all(one, name) {
  if (!(one instanceof Element)) return [];
  return [...(one.name === name ? [one] : []), ...one.children.flatMap((child) => all(child, name))];
}
