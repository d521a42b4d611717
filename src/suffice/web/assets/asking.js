// @ts-check
/** Asking Python: what takes the library itself, where a server of this machine is there. */

import { h, percent, shown, svg } from "./dom.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

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
    this.result = h("div", { class: "result", "aria-live": "polite" });
    const button = (/** @type {string} */ text, /** @type {() => Promise<void>} */ run) =>
      h("button", { type: "button", onclick: () => this.attempt(run) }, text);
    const id = `${explorer.id}-asking`;
    root.append(h("section", { "aria-labelledby": id, class: "part-asking" }, h("h2", { id }, "Ask Python"),
      h("div", { class: "buttons" },
        button("Leave-one-out along pooling", () => this.path("pooling")),
        button("Leave-one-out along shrinkage", () => this.path("shrinkage")),
        button("Choose a model", () => this.select()),
        button("Other models at this point", () => this.others())),
      this.result));
  }

  /** @param {Record<string, any>} question */
  async ask(question) {
    const { lesson } = this.explorer;
    const answer = await ask(this.token, { data: lesson.data, edits: lesson.edits, settings: lesson.settings, ...question });
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  /** @param {() => Promise<void>} run */
  async attempt(run) {
    this.result.replaceChildren("Being computed …");
    try {
      await run();
    } catch (error) {
      this.result.replaceChildren(`There is no answer: ${/** @type {Error} */ (error).message}.`);
    }
  }

  /** @param {string} parameter */
  async path(parameter) {
    const { points, rows } = await this.ask({ task: "path", parameter });
    if (!points.length) throw new Error("the log-loss is infinite everywhere");
    const best = points.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.log_loss < a.log_loss ? b : a));
    const losses = points.map((/** @type {any} */ one) => one.log_loss);
    const [low, high] = [Math.min(...losses), Math.max(...losses)];
    const place = (/** @type {any} */ one) => `${(10 + 280 * one.value).toFixed(1)} ${(90 - (80 * (one.log_loss - low)) / (high - low || 1)).toFixed(1)}`;
    const picture = svg("svg", { viewBox: "0 0 300 100", class: "path", role: "img", "aria-label": `Log-loss along ${parameter}, smallest at ${shown(best.value)}` },
      svg("path", { d: points.map((/** @type {any} */ one, /** @type {number} */ at) => (at ? "L" : "M") + place(one)).join(""), class: "border" }),
      svg("circle", { cx: place(best).split(" ")[0], cy: place(best).split(" ")[1], r: 5 }));
    this.result.replaceChildren(picture,
      h("p", {}, `Leave-one-out log-loss from ${shown(low)} to ${shown(high)}; smallest at ${parameter} ${shown(best.value)}, with ${best.errors} errors of ${rows}.`),
      h("button", { type: "button", onclick: () => this.explorer.set({ [parameter]: best.value }) }, `Set ${parameter} to ${shown(best.value)}`));
  }

  async select() {
    const { model, summary } = await this.ask({ task: "select" });
    this.result.replaceChildren(h("p", {}, `Cross-validation chooses ${model}.`), h("pre", { class: "scrolls", tabindex: "0" }, summary));
  }

  async others() {
    const { labels } = this.explorer.dataset;
    const { models, rows } = await this.ask({ task: "others", point: Array.from(this.explorer.point()) });
    this.result.replaceChildren(...models.map((/** @type {any} */ one) => {
      const best = one.posterior.indexOf(Math.max(...one.posterior));
      return h("p", {}, `${one.name}: ${labels[best]} with probability ${one.posterior[best].toFixed(4)}; ${one.errors} training errors of ${rows} (${percent(one.errors / rows)}).`);
    }));
  }
}
