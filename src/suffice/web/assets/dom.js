// @ts-check
/** Elements of the page. Names and labels come in as text nodes only, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element; `on...` properties are listeners, others attributes.
 * @param {string} tag @param {Record<string, any>} [properties] @param {...(Node | string)} children
 * @returns {any} */
export function h(tag, properties = {}, ...children) {
  const out = document.createElement(tag);
  setAll(out, properties);
  out.append(...children);
  return out;
}

/** An SVG element. @param {string} tag @param {Record<string, any>} [properties]
 * @param {...(Node | string)} children @returns {any} */
export function svg(tag, properties = {}, ...children) {
  const out = document.createElementNS(SVG, tag);
  setAll(out, properties);
  out.append(...children);
  return out;
}

/** @param {Element} element @param {Record<string, any>} properties */
export function setAll(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** A number for reading: four significant digits. @param {number} value */
export function shown(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "—";
  const size = Math.abs(value);
  if (size && (size < 1e-4 || size >= 1e15)) return value.toExponential(2).replace("-", "−");
  const places = size ? Math.max(0, 3 - Math.floor(Math.log10(size))) : 0;
  const text = value.toFixed(Math.min(places, 20));
  return (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", "−");
}

/** @param {number} share */
export function percent(share) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "—";
}

/** Let the browser save a file. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
