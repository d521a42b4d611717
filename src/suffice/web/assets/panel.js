// @ts-check
/** The panel: model, view, the chosen row, the boundary, the fit, and what can be taken along. */

import { cssColour } from "./colours.js";
import { contributions, explanation } from "./contributions.js";
import { conicKind } from "./boundary.js";
import { button, fill, h, math, percent, section, select, shown } from "./dom.js";
import { equationMath, equationText } from "./equation.js";
import { FORMULAS } from "./formulas.js";
import { descending, freeParameters, logLikelihood, normalise } from "./model.js";
import { planeForm } from "./plane.js";
import { Taking } from "./taking.js";

const MODELS = /** @type {[string, string, number][]} */ ([
  ["QDA", "full", 0],
  ["LDA", "full", 1],
  ["Gaussian naive Bayes", "diagonal", 0],
  ["Diagonal LDA", "diagonal", 1],
  ["Nearest mean", "spherical", 1],
]);
const NUMBERS = {
  logLikelihood: "Log-likelihood", free: "Free parameters", errors: "Training errors", loss: "Training log-loss",
  leftErrors: "Leave-one-out errors", leftLoss: "Leave-one-out log-loss",
};
const KINDS = /** @type {Record<string, string>} */ ({ ellipse: "an ellipse", empty: "nowhere", everything: "everywhere", "two points": "two points" });
const MOST_BARS = 8;
const MOST_PRIORS = 8;
const MOST_PAIRS = 60;

export class Panel {
  sections = /** @type {Record<string, any>} */ ({});
  numbers = /** @type {Record<string, any>} */ ({});
  fields = /** @type {any[]} */ ([]);
  chosenClass = 0;

  /** @param {Explorer} explorer @param {HTMLElement} root @param {HTMLElement} below the picture */
  constructor(explorer, root, below) {
    this.explorer = explorer;
    this.taking = new Taking(explorer);
    const titles = { model: "Model", view: "View", chosen: "Chosen point", boundary: "Boundary", fit: "Fit", take: "Export and open" };
    for (const [name, title] of Object.entries(titles)) {
      const body = h("div", { class: "body" });
      const home = name === "boundary" || name === "fit" ? below : root;
      home.append(section(explorer.id, name, title, body, formula(name)));
      this.sections[name] = body;
    }
  }

  /** Everything that depends on the table: called when data or settings change, not while dragging. */
  build() {
    const { sections } = this;
    sections.model.replaceChildren(...this.modelControls());
    sections.view.replaceChildren(...this.viewControls());
    sections.view.nextSibling.hidden = this.explorer.lesson.view.kind !== "axes";
    sections.chosen.replaceChildren(...this.chosenParts());
    sections.boundary.replaceChildren(...this.boundaryParts());
    sections.fit.replaceChildren(...this.fitParts());
    sections.take.replaceChildren(...this.taking.controls());
  }

  modelControls() {
    const { explorer } = this;
    const { settings, known } = explorer.lesson;
    const disabled = known !== null;
    const models = MODELS.map(([name, structure, pooling]) =>
      button(name, () => explorer.set({ structure, pooling }), { disabled, "aria-pressed": String(settings.structure === structure && settings.pooling === pooling) }));
    const share = (/** @type {"pooling" | "shrinkage"} */ name, /** @type {string} */ title) =>
      slider(title, settings[name], disabled, (value, live) => explorer.set({ [name]: value }, live));
    const structures = ["full", "diagonal", "spherical"].map((one) => /** @type {[string, string]} */ ([one, one]));
    return [
      ...(known ? [this.backToData()] : []),
      h("div", { class: "models", role: "group", "aria-label": "Model" }, ...models),
      select("Structure of covariances", structures, settings.structure, (structure) => explorer.set({ structure }), { disabled }),
      share("pooling", "Pooling: own (0) to shared (1)"),
      share("shrinkage", "Shrinkage toward circles"),
      select("Divide by", [[0, "N (maximum likelihood)"], [1, "N − 1"]], settings.ddof, (ddof) => explorer.set({ ddof: Number(ddof) }), { disabled }),
      ...this.priors(),
    ];
  }

  backToData() {
    const disabled = !this.explorer.table.hasStatistics;
    return h("p", { class: "note" }, "Means and covariances are set by hand. ",
      button("Back to the data", () => this.explorer.backToData(), { disabled }),
      disabled ? " There are no rows: this is an exercise with known parameters." : "");
  }

  priors() {
    const { explorer } = this;
    const { settings, known } = explorer.lesson;
    const { labels } = explorer.table.dataset;
    const now = known?.priors ?? Array.from(explorer.model?.priors ?? labels.map(() => 1 / labels.length));
    const kind = known || Array.isArray(settings.priors) ? "own" : settings.priors ?? "shares";
    const kinds = /** @type {[string, string][]} */ ([...(known ? [] : [["shares", "class shares"]]), ["uniform", "equal"], ["own", "set here"]]);
    const choose = (/** @type {string} */ value) => explorer.setPriors(value === "own" ? now : value === "uniform" ? value : null);
    const sliders = kind === "own" && labels.length <= MOST_PRIORS
      ? labels.map((label, c) => slider(`Prior of ${label}`, now[c], false, (value, live) => explorer.setPriors(withShare(now, c, value), live)))
      : [];
    return [select("Priors", kinds, kind, choose), ...sliders];
  }

  viewControls() {
    const { explorer } = this;
    const { features } = explorer.table.dataset;
    const { view } = explorer.lesson;
    if (features.length < 2) return [h("p", {}, "One feature: the curves are the densities of the classes.")];
    const names = /** @type {[string, string][]} */ (features.map((name, at) => [String(at), name]));
    const along = /** @type {[string, string]} */ (["axes", "discriminant axes"]);
    const parts = [select("Across", explorer.hasAxes ? [...names, along] : names, view.kind === "axes" ? "axes" : String(view.i), (value) => explorer.setAxis("i", value))];
    if (view.kind === "features") parts.push(select("Up", names, String(view.j), (value) => explorer.setAxis("j", value)));
    if (view.kind === "features" && features.length > 2)
      parts.push(select("Other features", [["out", "integrated out"], ["point", "held at the chosen point"], ["mean", "held at the mean of all rows"]], view.others,
        (others) => explorer.setView(/** @type {View} */ ({ ...view, others }))));
    parts.push(h("label", { class: "check" },
      h("input", { type: "checkbox", checked: explorer.showsContours, onchange: (event) => explorer.showContours(event.target.checked) }), " Density contours"));
    return parts;
  }

  chosenParts() {
    const { explorer } = this;
    const { dataset, hasRows } = explorer.table;
    const { features, labels } = dataset;
    this.fields = features.map((name, j) =>
      h("input", { type: "number", step: "any", "aria-label": name, onchange: (event) => explorer.typeValue(j, Number(event.target.value)) }));
    const isMany = features.length >= MOST_BARS;
    this.values = h("details", { class: "values", open: !isMany, hidden: !isMany, ontoggle: () => this.update() }, h("summary", {}, `Values of ${features.length} features`),
      ...(isMany ? this.fields.map((field, j) => h("label", {}, features[j], " ", field)) : []));
    this.which = h("p", { class: "which" });
    this.bars = h("ul", { class: "bars", "aria-label": "Posterior probabilities" });
    // With few features, each has its value beside its contribution.
    this.parts = h("ul", { class: isMany ? "parts" : "parts values", "aria-label": "Contributions of the features" }, ...(isMany ? [] : [...this.fields, ""].map(barRow)));
    this.words = h("details", { class: "words" }, h("summary"), h("p"));
    this.chosenClass = 0;
    const edit = hasRows
      ? h("div", { class: "buttons" },
          select("Class", labels.map((label, c) => [c, label]), 0, (c) => (this.chosenClass = Number(c))),
          button("Add a row here", () => explorer.addRow(this.chosenClass)),
          button("Remove this row", () => explorer.removeRow()),
          button("Previous row", () => explorer.stepRow(-1)),
          button("Next row", () => explorer.stepRow(1)))
      : h("p", { class: "note" }, dataset.known ? "" : "Rows cannot be shown or moved: this page holds their statistics only.");
    return [this.which, this.bars, this.words, this.parts, this.values, edit];
  }

  boundaryParts() {
    const { explorer } = this;
    const { labels } = explorer.table.dataset;
    const pairs = /** @type {[string, string][]} */ ([["", "the two most probable classes"]]);
    for (let a = 0; a < labels.length && pairs.length <= MOST_PAIRS; a++)
      for (let b = a + 1; b < labels.length && pairs.length <= MOST_PAIRS; b++) pairs.push([`${a},${b}`, `${labels[a]} and ${labels[b]}`]);
    this.equation = h("div", { class: "equation scrolls", tabindex: "0", role: "group", "aria-label": "Equation of the boundary" });
    this.kind = h("p");
    const choose = (/** @type {string} */ text) => explorer.look({ pair: text ? text.split(",").map(Number) : null });
    return [select("Between", pairs, String(explorer.lesson.pair ?? ""), choose), this.equation, this.kind];
  }

  fitParts() {
    const rows = Object.entries(NUMBERS).map(([name, title]) => h("div", {}, h("dt", {}, title), (this.numbers[name] = h("dd", {}, "—"))));
    this.note = h("p", { class: "note" });
    return [h("dl", {}, ...rows), this.note];
  }

  /** Everything that changes with every frame. */
  update() {
    const { explorer } = this;
    const { model, lesson, ownClass } = explorer;
    const { labels, features, code } = explorer.table.dataset;
    const point = explorer.point();
    this.which.textContent = lesson.row === null ? "A point of the plane, which is not a row." : `Row ${lesson.row}, class ${labels[ownClass]}.`;
    if (this.values.open)
      this.fields.forEach((field, j) => {
        if (field.getRootNode().activeElement !== field) field.value = String(Number(point[j].toPrecision(12)));
      });
    this.updateFit();
    const logs = model && normalise(model.joint(point));
    this.updateBars(logs);
    const [a, b] = logs ? explorer.pairAt(logs) : [0, 0];
    const hasPair = model && a !== b && model.covariances[a] && model.covariances[b] && model.priors[a] + model.priors[b] > 0;
    this.words.hidden = !hasPair;
    if (!hasPair) {
      for (const one of [this.equation, this.kind]) one.replaceChildren();
      return this.updateParts([...features, "before any feature"].map((name) => ({ name, value: NaN })), a, b);
    }
    const found = contributions(model, point, a, b);
    [this.words.firstChild.textContent, this.words.lastChild.textContent] = explanation(found, features, code[a], code[b]);
    this.updateParts([...found.values.map((value, j) => ({ name: features[j], value })), { name: "before any feature", value: found.base }], a, b);
    this.updateBoundary(model, a, b);
  }

  /** @param {Float64Array | null} logs */
  updateBars(logs) {
    const { labels } = this.explorer.table.dataset;
    const classes = !logs ? [] : labels.length <= MOST_BARS ? [...labels.keys()] : descending(logs).slice(0, MOST_BARS);
    fill(this.bars, classes.length, () => barRow());
    classes.forEach((c, at) => {
      const share = Math.exp(logs?.[c] ?? NaN);
      drawBar(this.bars.children[at], labels[c], 100 * share, share.toFixed(4)).style.background = cssColour(c);
    });
  }

  /** @param {{name: string, value: number}[]} all the last is always shown @param {number} a @param {number} b */
  updateParts(all, a, b) {
    const order = descending(all.slice(0, -1).map(({ value }) => Math.abs(value)));
    const kept = all.length <= MOST_BARS ? all : [...order.slice(0, MOST_BARS - 1).map((j) => all[j]), all[all.length - 1]];
    const most = Math.max(1e-12, ...kept.map(({ value }) => Math.abs(value) || 0));
    fill(this.parts, kept.length, () => barRow());
    kept.forEach(({ name, value }, at) => {
      const share = (Math.abs(value) / most) * 50 || 0;
      const bar = drawBar(this.parts.children[at], name, share, Number.isNaN(value) ? "—" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2));
      bar.style.marginLeft = `${value < 0 ? 50 - share : 50}%`;
      bar.style.background = cssColour(value < 0 ? b : a);
    });
  }

  /** @param {Model} model @param {number} a @param {number} b */
  updateBoundary(model, a, b) {
    const { explorer } = this;
    const { view } = explorer.lesson;
    const { dataset, d } = explorer.table;
    const isZero = model.priors[a] === 0 || model.priors[b] === 0;
    const form = planeForm(model, a, b, view, explorer.axes, explorer.heldAt());
    if (!form) {
      this.equation.replaceChildren();
      this.kind.textContent = isZero ? "A prior of 0 leaves no boundary." : "There is no boundary in this plane.";
      return;
    }
    const text = equationText(form, explorer.axisNames);
    if (this.equation.dataset.text !== text || !this.equation.firstChild) {
      this.equation.dataset.text = text;
      this.equation.replaceChildren(...equationMath(form, explorer.axisNames).flatMap((piece) => [piece, " "]));
    }
    const where = view.kind === "axes" ? (explorer.isLine ? " along the axis" : " in the plane of the axes") : d <= 2 ? "" : view.others === "out" ? " of the two features alone" : " where the other features are held";
    const kind = conicKind(form);
    this.kind.textContent = `${dataset.labels[a]} against ${dataset.labels[b]}${where}: ${KINDS[kind] ?? `a ${kind}`}.`;
  }

  updateFit() {
    const { explorer, numbers } = this;
    const { model, table, lesson, scores, stale } = explorer;
    const { training, left } = (model && scores) || { training: null, left: null };
    const count = (/** @type {Score | null} */ score) => (score ? `${score.errors} of ${score.rows} (${percent(score.errors / score.rows)})` : "—");
    const texts = {
      logLikelihood: model && table.hasStatistics ? long(logLikelihood(model, table.statistics)) : "—",
      free: !model ? "—" : lesson.known ? "none: set by hand" : String(freeParameters(model, lesson.settings)),
      errors: count(training),
      loss: training ? shown(training.logLoss) : "—",
      leftErrors: count(left),
      leftLoss: left ? shown(left.logLoss) : "—",
    };
    for (const [name, text] of Object.entries(texts)) {
      numbers[name].textContent = text;
      numbers[name].classList.toggle("stale", stale && name !== "logLikelihood" && name !== "free");
    }
    this.note.textContent = this.fitNote();
  }

  /** What is missing among the scores, and why. */
  fitNote() {
    const { table, lesson, stale } = this.explorer;
    if (lesson.known) return table.hasRows ? "Leave-one-out takes estimates; these parameters are set by hand." : "Errors take rows, and there are none.";
    if (!table.hasRows) return "Errors and leave-one-out take rows; this page holds statistics only.";
    if (!table.isWhole) return `Of the ${table.size.toLocaleString("en")} rows drawn here; the model is that of all ${table.dataset.count.toLocaleString("en")}.`;
    return stale ? "Being computed …" : "";
  }
}

/** The formulas behind a part, folded. @param {string} name */
function formula(name) {
  const found = (name === "chosen" ? ["posterior", "contributions"] : [name]).filter((one) => one in FORMULAS);
  if (!found.length) return "";
  const parts = found.map((one) => {
    const [words, make] = FORMULAS[one];
    const shape = math("math", make());
    shape.setAttribute("display", "block");
    return h("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": "Formula" }, h("p", {}, words), shape);
  });
  return h("details", { class: "formula" }, h("summary", {}, found.length > 1 ? "Formulas" : "Formula"), ...parts);
}

/** @param {string} title @param {number} value @param {boolean} disabled
 * @param {(value: number, live: boolean) => void} change */
function slider(title, value, disabled, change) {
  const output = h("span", { class: "value" }, shown(value));
  const oninput = (/** @type {any} */ event) => {
    output.textContent = shown(Number(event.target.value));
    change(Number(event.target.value), event.type === "input");
  };
  return h("label", { class: "slider" }, h("span", {}, title, " ", output), h("input", { type: "range", min: 0, max: 1, step: 0.01, value, disabled, oninput, onchange: oninput }));
}

/** A name, a field if there is one, a bar and a number. @param {Element | string} [field] */
function barRow(field = "") {
  return h("li", {}, h("span", { class: "label" }), field, h("span", { class: "track" }, h("span", { class: "bar" })), h("span", { class: "value" }));
}

/** @param {any} row @param {string} name @param {number} percentage @param {string} value @returns {HTMLElement} the bar */
function drawBar(row, name, percentage, value) {
  const bar = row.querySelector(".bar");
  row.firstChild.textContent = name;
  row.lastChild.textContent = value;
  bar.style.width = `${percentage}%`;
  return bar;
}

/** A log-likelihood with all the digits that a small change needs. @param {number} value */
function long(value) {
  return Number.isFinite(value) ? value.toFixed(6).replace("-", "−") : shown(value);
}

/** Shares with one changed and the others in proportion. @param {number[]} shares @param {number} c @param {number} value */
function withShare(shares, c, value) {
  const rest = shares.reduce((sum, share, at) => (at === c ? sum : sum + share), 0);
  return shares.map((share, at) => (at === c ? value : rest > 0 ? (share / rest) * (1 - value) : (1 - value) / (shares.length - 1)));
}
