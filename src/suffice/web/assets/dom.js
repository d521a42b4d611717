// @ts-check
/** Elements of the page. Names and labels come in as text nodes only, never as markup. */

/** An HTML element. @param {string} tag @param {Properties} [properties] @param {...(Node | string)} children @returns {any} */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** An SVG element. @param {string} tag @param {Properties} [properties] @param {...(Node | string)} children @returns {any} */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

/** A MathML element. @param {string} tag @param {...(Node | string)} children */
export function math(tag, ...children) {
  return filled(document.createElementNS("http://www.w3.org/1998/Math/MathML", tag), {}, children);
}

/** @template {Element} T @param {T} element @param {Properties} properties @param {(Node | string)[]} children */
function filled(element, properties, children) {
  setAll(element, properties);
  element.append(...children);
  return element;
}

/** @param {Element} element @param {Properties} properties */
export function setAll(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Make and remove children until there are as many as wanted.
 * @param {Element} parent @param {number} length @param {() => Element} make */
export function fill(parent, length, make) {
  while (parent.childElementCount > length) parent.lastElementChild?.remove();
  while (parent.childElementCount < length) parent.append(make());
}

/** @param {string} text @param {() => void} onclick @param {Properties} [properties] */
export function button(text, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, text);
}

/** A labelled choice. @param {string} title @param {[any, string][]} options values and what they are called
 * @param {any} chosen @param {(value: string) => void} change @param {Properties} [properties] */
export function select(title, options, chosen, change, properties = {}) {
  const made = options.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return h("label", {}, `${title} `, h("select", { onchange: (event) => change(event.target.value), ...properties }, ...made));
}

/** A part of the page under a heading. @param {string} id @param {string} name @param {string} title @param {...(Node | string)} children */
export function section(id, name, title, ...children) {
  return h("section", { "aria-labelledby": `${id}-${name}`, class: `part-${name}` }, h("h2", { id: `${id}-${name}` }, title), ...children);
}

/** A number for reading: four significant digits. @param {number} value */
export function shown(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "—";
  const size = Math.abs(value);
  const isPlain = !size || (size >= 1e-4 && size < 1e15);
  const places = size ? Math.max(0, 3 - Math.floor(Math.log10(size))) : 0;
  const text = isPlain ? value.toFixed(places) : value.toExponential(2);
  return (isPlain && text.includes(".") ? text.replace(/\.?0+$/, "") : text).replaceAll("-", "−");
}

/** @param {number} share */
export function percent(share) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "—";
}

/** Let the browser save a file. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
