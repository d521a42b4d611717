// @ts-check
/** Taking along: code, links, rows and pictures of what is shown. */

import { toCsv } from "./csv.js";
import { button, download, h } from "./dom.js";
import { HEIGHT, pictureSvg, WIDTH } from "./drawing.js";
import { MOST_EDITS, toHash } from "./lesson.js";
import { pythonCode } from "./python_code.js";

export class Taking {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.copied = h("p", { class: "note", role: "status" });
  }

  /** Buttons, and what they copied. */
  controls() {
    const { explorer } = this;
    const save = (/** @type {string} */ ending, /** @type {string} */ type, /** @type {() => string} */ text) => () =>
      download(`${explorer.dataset.name}.${ending}`, new Blob([text()], { type }));
    return [
      h("div", { class: "buttons" },
        button("Copy Python", () => explorer.model && this.copy("Python", pythonCode(explorer.lesson, explorer.model, explorer.dataset))),
        button("Copy link", () => this.copyLink()),
        button("Rows (CSV)", save("csv", "text/csv", () => toCsv(explorer.table)), { disabled: !explorer.table.hasRows }),
        button("Picture (SVG)", save("svg", "image/svg+xml", () => this.picture())),
        button("Picture (PNG)", () => this.savePng())),
      this.copied,
      h("label", { class: "file" }, "Open a CSV file, or drop it on the page: ",
        h("input", { type: "file", accept: ".csv,text/csv", onchange: (event) => event.target.files[0] && explorer.openFile(event.target.files[0]) })),
    ];
  }

  /** @param {string} what @param {string} text @param {string} [note] */
  async copy(what, text, note = "") {
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = `${what} copied. ${note}`;
    } catch {
      const area = h("textarea", { readonly: true, rows: 6, "aria-label": what });
      area.value = text;
      this.copied.replaceChildren(`${note} Copy it from here: `, area);
      area.select();
    }
  }

  copyLink() {
    const { lesson, options } = this.explorer;
    const base = options.usesHash ? location.href.split("#")[0] : "";
    const count = lesson.edits.length;
    this.copy("Link", `${base}#${toHash(lesson)}`, count > MOST_EDITS ? `It holds the first ${MOST_EDITS} of ${count} edits.` : "");
  }

  picture() {
    const { explorer } = this;
    const ground = getComputedStyle(explorer.root).getPropertyValue("--ground");
    return pictureSvg(explorer.drawing, explorer.project(), explorer.table.codes, ground);
  }

  async savePng() {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([this.picture()], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = h("canvas", { width: 2 * WIDTH, height: 2 * HEIGHT });
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * WIDTH, 2 * HEIGHT);
    URL.revokeObjectURL(image.src);
    canvas.toBlob((/** @type {Blob} */ blob) => download(`${this.explorer.dataset.name}.png`, blob));
  }
}
