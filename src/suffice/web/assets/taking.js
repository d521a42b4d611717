// @ts-check
/** Taking along: code, links, rows and pictures of what is shown. */

import { toCsv } from "./csv.js";
import { download, h } from "./dom.js";
import { HEIGHT, pictureSvg, WIDTH } from "./drawing.js";
import { toHash } from "./lesson.js";
import { pythonCode } from "./python_code.js";

export class Taking {
  /** @param {import("./explorer.js").Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
  }

  /** @param {string} what @param {string} text */
  async copy(what, text) {
    try {
      await navigator.clipboard.writeText(text);
      this.explorer.panel.copied.textContent = `${what} copied.`;
    } catch {
      const area = h("textarea", { readonly: true, rows: 6, "aria-label": what });
      area.value = text;
      this.explorer.panel.copied.replaceChildren("Copy it from here: ", area);
      area.select();
    }
  }

  copyCode() {
    this.copy("Python", pythonCode(this.explorer.lesson, this.explorer.table));
  }

  copyLink() {
    const base = this.explorer.options.usesHash ? location.href.split("#")[0] : "";
    this.copy("Link", `${base}#${toHash(this.explorer.lesson)}`);
  }

  saveCsv() {
    download(`${this.explorer.dataset.name}.csv`, new Blob([toCsv(this.explorer.table)], { type: "text/csv" }));
  }

  /** @returns {string} */
  picture() {
    return pictureSvg(this.explorer.drawing, { ...this.explorer.project(), codes: this.explorer.table.codes }, getComputedStyle(this.explorer.root).getPropertyValue("--ground"));
  }

  saveSvg() {
    download(`${this.explorer.dataset.name}.svg`, new Blob([this.picture()], { type: "image/svg+xml" }));
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
