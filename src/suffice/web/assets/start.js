// @ts-check
/** Where the code begins: in a worker, or on a page that holds its data. */

import { Explorer } from "./explorer.js";
import { ask } from "./asking.js";
import { h } from "./dom.js";
import { work } from "./scorer.js";

/** @param {HTMLElement} root @param {Payload} payload @param {Options} options */
export function mount(root, payload, options) {
  return new Explorer(root, payload, options);
}

/** The data come with the token of the link, which then leaves the address.
 * @param {HTMLElement} root @param {string | null} source */
async function fromServer(root, source) {
  const given = /(?:^#|&)token=([\w-]+)/.exec(location.hash)?.[1];
  if (given) {
    sessionStorage.setItem("suffice-token", given);
    history.replaceState(null, "", location.hash.replace(/(^#|&)token=[\w-]+&?/, "$1") || "#");
  }
  const token = sessionStorage.getItem("suffice-token") ?? "";
  try {
    const payload = await ask(token, { task: "data" });
    return mount(root, payload, { workerSource: source, usesHash: true, token });
  } catch (error) {
    root.classList.add("suffice-explorer");
    const why = /** @type {Error} */ (error).message;
    root.append(h("p", { class: "message", role: "alert" }, `The data cannot be shown: ${why}. Open the link that suffice explore prints.`));
    return null;
  }
}

if (typeof document === "undefined") {
  const self = /** @type {any} */ (globalThis);
  self.onmessage = (/** @type {MessageEvent} */ event) => self.postMessage(work(event.data));
} else {
  const data = document.getElementById("suffice-data");
  const root = document.getElementById("suffice-explorer");
  if (data && root) {
    const source = document.getElementById("suffice-code")?.textContent ?? null;
    const payload = JSON.parse(data.textContent ?? "");
    const begin = payload.server ? fromServer(root, source) : Promise.resolve(mount(root, payload, { workerSource: source, usesHash: true }));
    begin.then((made) => {
      /** @type {any} */ (globalThis).sufficeExplorer = made;
    });
  }
}
