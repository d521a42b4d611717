// @ts-check
/** The toolbar: lessons, tools, undo and redo. */

import { h } from "./dom.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

export class Toolbar {
  /** @param {Explorer} explorer @param {HTMLElement} root */
  constructor(explorer, root) {
    this.explorer = explorer;
    this.tools = ["move", "add", "erase"].map((tool) => {
      const title = { move: "Choose and move", add: "Add rows", erase: "Erase rows" }[tool] ?? tool;
      return h("button", { type: "button", "data-tool": tool, onclick: () => this.use(tool) }, title);
    });
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) => h("button", { type: "button", onclick }, text);
    this.undo = button("Undo", () => explorer.travel("undo"));
    this.redo = button("Redo", () => explorer.travel("redo"));
    const lessons = explorer.presets.length
      ? [h("label", {}, "Lesson ", (this.lessons = h("select", { onchange: (/** @type {any} */ event) => event.target.value && explorer.open(event.target.value) },
          h("option", { value: "" }, "choose …"), ...explorer.presets.map(({ title, hash }) => h("option", { value: hash }, title)))))]
      : [];
    root.append(h("div", { class: "toolbar", role: "toolbar", "aria-label": "Tools" }, ...lessons,
      h("div", { class: "buttons" }, ...this.tools), h("div", { class: "buttons" }, this.undo, this.redo, button("Reset", () => explorer.reset()))));
    root.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      explorer.travel(event.shiftKey ? "redo" : "undo");
      event.preventDefault();
    });
  }

  /** @param {string} tool */
  use(tool) {
    this.explorer.hands.tool = tool;
    this.update();
  }

  update() {
    const { explorer } = this;
    const { hasRows } = explorer.table;
    for (const one of this.tools) {
      const tool = one.getAttribute("data-tool");
      one.setAttribute("aria-pressed", String(explorer.hands?.tool === tool || (!explorer.hands && tool === "move")));
      one.disabled = tool !== "move" && !hasRows;
    }
    this.undo.disabled = !explorer.history.past.length;
    this.redo.disabled = !explorer.history.future.length;
  }
}
