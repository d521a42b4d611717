// @ts-check
/** The toolbar: lessons, tools, undo and redo. */

import { button, h, select } from "./dom.js";

export class Toolbar {
  /** @param {Explorer} explorer @param {HTMLElement} root */
  constructor(explorer, root) {
    this.explorer = explorer;
    this.tools = Object.entries({ move: "Choose and move", add: "Add rows", erase: "Erase rows" }).map(([tool, title]) =>
      button(title, () => this.use(tool), { "data-tool": tool }));
    this.undo = button("Undo", () => explorer.travel("undo"));
    this.redo = button("Redo", () => explorer.travel("redo"));
    const lessons = explorer.presets.map(({ title, hash }) => /** @type {[string, string]} */ ([hash, title]));
    root.append(h("div", { class: "toolbar", role: "toolbar", "aria-label": "Tools" },
      lessons.length ? select("Lesson", [["", "choose …"], ...lessons], explorer.options.usesHash ? location.hash.slice(1) : "", (hash) => hash && explorer.open(hash)) : "",
      h("div", { class: "buttons" }, ...this.tools),
      h("div", { class: "buttons" }, this.undo, this.redo, button("Reset", () => explorer.reset()))));
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
    const { hands, table, history } = this.explorer;
    for (const one of this.tools) {
      const tool = one.getAttribute("data-tool");
      one.setAttribute("aria-pressed", String(hands.tool === tool));
      one.disabled = tool !== "move" && !table.hasRows;
    }
    this.undo.disabled = !history.past.length;
    this.redo.disabled = !history.future.length;
  }
}
