// @ts-check
/** Asking Python: what takes the library itself, where a server of this machine is there. */

import { button, h, percent, section, shown, svg } from "./dom.js";

/** A question to the server that this page comes from. @param {string} token @param {Record<string, any>} question */
export async function ask(token, question) {
  const answer = await fetch("/api", {
    method: "POST",
    headers: { "content-type": "application/json", "x-suffice-token": token },
    body: JSON.stringify(question),
  });
  if (!answer.ok) throw new Error(answer.status === 401 ? "the link of this page is no longer valid" : `the server answers ${answer.status}`);
  return answer.json();
}

export class Asking {
  /** @param {Explorer} explorer @param {HTMLElement} root @param {string} token */
  constructor(explorer, root, token) {
    this.explorer = explorer;
    this.token = token;
    /** Those that Python has read, too. */
    this.datasets = new Set(explorer.datasets);
    this.note = h("p", { class: "note" });
    this.result = h("div", { class: "result", "aria-live": "polite" });
    const offer = (/** @type {string} */ text, /** @type {() => Promise<(Node | string)[]>} */ find) => button(text, () => this.attempt(find));
    this.offers = [
      offer("Leave-one-out along pooling", () => this.path("pooling")),
      offer("Leave-one-out along shrinkage", () => this.path("shrinkage")),
      offer("Choose a model", () => this.select()),
      offer("Other models at this point", () => this.others()),
    ];
    root.append(section(explorer.id, "asking", "Ask Python", h("div", { class: "buttons" }, ...this.offers), this.note, this.result));
  }

  /** What can be asked about the table as it is now. */
  update() {
    const { table, dataset, lesson } = this.explorer;
    const why = !table.hasRows ? "These take rows, and there are none." : this.datasets.has(dataset) ? "" : "Python has not read this file.";
    this.note.textContent = why;
    for (const one of this.offers) one.disabled = why !== "";
    this.result.classList.toggle("stale", this.edits !== lesson.edits);
  }

  /** @param {Record<string, any>} question */
  async ask(question) {
    const { lesson } = this.explorer;
    const answer = await ask(this.token, { data: lesson.data, edits: lesson.edits, settings: lesson.settings, ...question });
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  /** @param {() => Promise<(Node | string)[]>} find */
  async attempt(find) {
    this.edits = this.explorer.lesson.edits;
    this.result.classList.remove("stale");
    this.result.replaceChildren("Being computed …");
    try {
      this.result.replaceChildren(...(await find()));
    } catch (error) {
      this.result.replaceChildren(`There is no answer: ${/** @type {Error} */ (error).message}.`);
    }
  }

  /** @param {string} parameter */
  async path(parameter) {
    const answer = await this.ask({ task: "path", parameter });
    const points = /** @type {{value: number, log_loss: number, errors: number}[]} */ (answer.points);
    if (!points.length) throw new Error("the log-loss is infinite everywhere");
    const losses = points.map((one) => one.log_loss);
    const [low, high] = [Math.min(...losses), Math.max(...losses)];
    const best = points[losses.indexOf(low)];
    const places = points.map((one) => [10 + 280 * one.value, 90 - (80 * (one.log_loss - low)) / (high - low || 1)].map((at) => at.toFixed(1)));
    const [cx, cy] = places[points.indexOf(best)];
    return [
      svg("svg", { viewBox: "0 0 300 100", class: "path", role: "img", "aria-label": `Log-loss along ${parameter}, smallest at ${shown(best.value)}` },
        svg("path", { d: `M${places.map((place) => place.join(" ")).join("L")}`, class: "border" }),
        svg("circle", { cx, cy, r: 5 })),
      h("p", {}, `Leave-one-out log-loss from ${shown(low)} to ${shown(high)}; smallest at ${parameter} ${shown(best.value)}, with ${best.errors} errors of ${answer.rows}.`),
      button(`Set ${parameter} to ${shown(best.value)}`, () => this.explorer.set({ [parameter]: best.value })),
    ];
  }

  async select() {
    const { model, summary } = await this.ask({ task: "select" });
    return [h("p", {}, `Cross-validation chooses ${model}.`), h("pre", { class: "scrolls", tabindex: "0" }, summary)];
  }

  async others() {
    const { labels } = this.explorer.dataset;
    const { models, rows } = await this.ask({ task: "others", point: Array.from(this.explorer.point()) });
    return models.map((/** @type {{name: string, posterior: number[], errors: number}} */ { name, posterior, errors }) => {
      const most = Math.max(...posterior);
      return h("p", {}, `${name}: ${labels[posterior.indexOf(most)]} with probability ${most.toFixed(4)}; ${errors} training errors of ${rows} (${percent(errors / rows)}).`);
    });
  }
}
