// @ts-check
/** The panel: model, view, the chosen row, the boundary, the fit, and what can be taken along. */

import { cssColour } from "./colours.js";
import { contributions, explanation } from "./contributions.js";
import { conicKind } from "./boundary.js";
import { h, percent, shown } from "./dom.js";
import { equationMath, equationText } from "./equation.js";
import { FORMULAS } from "./formulas.js";
import { freeParameters, logLikelihood, normalise } from "./model.js";
import { planeForm } from "./plane.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

const MODELS = /** @type {[string, string, number][]} */ ([
  ["QDA", "full", 0],
  ["LDA", "full", 1],
  ["Gaussian naive Bayes", "diagonal", 0],
  ["Diagonal LDA", "diagonal", 1],
  ["Nearest mean", "spherical", 1],
]);
const MOST_BARS = 8;
const MOST_PRIORS = 8;
const MOST_PAIRS = 60;

export class Panel {
  /** @param {Explorer} explorer @param {HTMLElement} root @param {HTMLElement} below the picture */
  constructor(explorer, root, below) {
    this.explorer = explorer;
    this.sections = /** @type {Record<string, any>} */ ({});
    for (const [name, title] of [["model", "Model"], ["view", "View"], ["chosen", "Chosen point"], ["boundary", "Boundary"], ["fit", "Fit"], ["take", "Export and open"]]) {
      const body = h("div", { class: "body" });
      const id = `${explorer.id}-${name}`;
      const home = name === "boundary" || name === "fit" ? below : root;
      home.append(h("section", { "aria-labelledby": id, class: `part-${name}` }, h("h2", { id }, title), body, this.formula(name)));
      this.sections[name] = body;
    }
  }

  /** The formula behind a part, folded. @param {string} name */
  formula(name) {
    const key = name === "chosen" ? ["posterior", "contributions"] : [name];
    const found = key.flatMap((one) => (one in FORMULAS ? [FORMULAS[/** @type {"fit"} */ (one)]] : []));
    if (!found.length) return "";
    const parts = found.map(({ words, markup }) => {
      const math = document.createElementNS("http://www.w3.org/1998/Math/MathML", "math");
      math.setAttribute("display", "block");
      math.innerHTML = markup;
      return h("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": "Formula" }, h("p", {}, words), math);
    });
    return h("details", { class: "formula" }, h("summary", {}, found.length > 1 ? "Formulas" : "Formula"), ...parts);
  }

  /** Everything that depends on the table: called when data or settings change, not while dragging. */
  build() {
    this.buildModel();
    this.buildView();
    this.buildChosen();
    this.buildBoundary();
    this.buildFit();
    this.buildTake();
  }

  buildModel() {
    const { explorer } = this;
    const { settings, known } = explorer.lesson;
    const locked = known !== null;
    const buttons = MODELS.map(([name, structure, pooling]) =>
      h("button", {
        type: "button", disabled: locked,
        "aria-pressed": String(settings.structure === structure && settings.pooling === pooling),
        onclick: () => explorer.set({ structure, pooling }),
      }, name));
    const parts = [h("div", { class: "models", role: "group", "aria-label": "Model" }, ...buttons)];
    const slow = (/** @type {string} */ name, /** @type {string} */ title) =>
      this.slider(title, settings[/** @type {"pooling"} */ (name)], locked, (value, live) => explorer.set({ [name]: value }, live));
    const structures = h("select", { disabled: locked, onchange: (/** @type {any} */ event) => explorer.set({ structure: event.target.value }) },
      ...["full", "diagonal", "spherical"].map((one) => h("option", { value: one, selected: settings.structure === one }, one)));
    parts.push(h("label", {}, "Structure of covariances ", structures));
    parts.push(slow("pooling", "Pooling: own (0) to shared (1)"), slow("shrinkage", "Shrinkage toward circles"));
    const ddof = h("select", { disabled: locked, onchange: (/** @type {any} */ event) => explorer.set({ ddof: Number(event.target.value) }) },
      h("option", { value: "0", selected: settings.ddof === 0 }, "N (maximum likelihood)"), h("option", { value: "1", selected: settings.ddof === 1 }, "N − 1"));
    parts.push(h("label", {}, "Divide by ", ddof), ...this.priors());
    if (locked) {
      const possible = explorer.table.hasStatistics;
      parts.unshift(h("p", { class: "note" }, "Means and covariances are set by hand. ",
        h("button", { type: "button", disabled: !possible, onclick: () => explorer.backToData() }, "Back to the data"),
        possible ? "" : " There are no rows: this is an exercise with known parameters."));
    }
    this.sections.model.replaceChildren(...parts);
  }

  /** @param {string} title @param {number} value @param {boolean} disabled
   * @param {(value: number, live: boolean) => void} change */
  slider(title, value, disabled, change) {
    const output = h("span", { class: "value" }, shown(value));
    const input = h("input", { type: "range", min: 0, max: 1, step: 0.01, value, disabled });
    input.addEventListener("input", () => {
      output.textContent = shown(Number(input.value));
      change(Number(input.value), true);
    });
    input.addEventListener("change", () => change(Number(input.value), false));
    return h("label", { class: "slider" }, h("span", {}, title, " ", output), input);
  }

  priors() {
    const { explorer } = this;
    const { settings, known } = explorer.lesson;
    const { labels } = explorer.table.dataset;
    const now = known ? known.priors : explorer.model ? Array.from(explorer.model.priors) : labels.map(() => 1 / labels.length);
    const kind = known || Array.isArray(settings.priors) ? "own" : settings.priors === "uniform" ? "uniform" : "shares";
    const select = h("select", {
      onchange: (/** @type {any} */ event) => explorer.setPriors({ shares: null, uniform: /** @type {"uniform"} */ ("uniform"), own: now }[/** @type {"own"} */ (event.target.value)]),
    },
      ...(known ? [] : [h("option", { value: "shares", selected: kind === "shares" }, "class shares")]),
      h("option", { value: "uniform", selected: kind === "uniform" }, "equal"), h("option", { value: "own", selected: kind === "own" }, "set here"));
    const parts = [h("label", {}, "Priors ", select)];
    if (kind === "own" && labels.length <= MOST_PRIORS)
      labels.forEach((label, c) => parts.push(this.slider(`Prior of ${label}`, now[c], false, (value, live) => explorer.setPriors(withShare(now, c, value), live))));
    return parts;
  }

  buildView() {
    const { explorer } = this;
    const { features } = explorer.table.dataset;
    const { view } = explorer.lesson;
    const parts = [];
    if (features.length > 1) {
      const option = (/** @type {"i" | "j"} */ key) => h("select", {
        onchange: (/** @type {any} */ event) => explorer.setAxis(key, event.target.value),
      }, ...features.map((name, at) => h("option", { value: at, selected: view.kind === "features" && view[key] === at }, name)),
        ...(explorer.hasAxes && key === "i" ? [h("option", { value: "axes", selected: view.kind === "axes" }, "discriminant axes")] : []));
      parts.push(h("label", {}, "Across ", option("i")));
      if (view.kind === "features") parts.push(h("label", {}, "Up ", option("j")));
    }
    if (features.length > 2 && view.kind === "features") {
      const select = h("select", { onchange: (/** @type {any} */ event) => explorer.setView({ ...view, others: event.target.value }) },
        h("option", { value: "out", selected: view.others === "out" }, "integrated out"),
        h("option", { value: "point", selected: view.others === "point" }, "held at the chosen point"));
      parts.push(h("label", {}, "Other features ", select));
    }
    if (features.length > 1)
      parts.push(h("label", { class: "check" }, h("input", { type: "checkbox", checked: explorer.showsContours, onchange: (/** @type {any} */ event) => explorer.showContours(event.target.checked) }), " Density contours"));
    if (!parts.length) parts.push(h("p", {}, "One feature: the curves are the densities of the classes."));
    this.sections.view.replaceChildren(...parts);
  }

  buildChosen() {
    const { explorer } = this;
    const { features, labels } = explorer.table.dataset;
    this.fields = features.map((name, j) => {
      const field = h("input", { type: "number", step: "any", "aria-label": name, onchange: () => explorer.typeValue(j, Number(field.value)) });
      return field;
    });
    const many = features.length > MOST_BARS - 1;
    this.values = h("details", { class: "values", open: !many, hidden: !many, ontoggle: () => this.update() }, h("summary", {}, `Values of ${features.length} features`),
      ...(many ? this.fields.map((field, j) => h("label", {}, features[j], " ", field)) : []));
    this.which = h("p", { class: "which" });
    this.bars = h("ul", { class: "bars", "aria-label": "Posterior probabilities" });
    // With few features, each has its value beside its contribution.
    this.parts = h("ul", { class: many ? "parts" : "parts values", "aria-label": "Contributions of the features" },
      ...(many ? [] : [...this.fields, ""].map((field) => barRow(field))));
    this.words = h("details", { class: "words" }, h("summary"), h("p"));
    this.classSelect = h("select", {}, ...labels.map((label, c) => h("option", { value: c }, label)));
    const edit = explorer.table.hasRows
      ? h("div", { class: "buttons" },
          h("label", {}, "Class ", this.classSelect),
          h("button", { type: "button", onclick: () => explorer.addRow(Number(this.classSelect.value)) }, "Add a row here"),
          h("button", { type: "button", onclick: () => explorer.removeRow() }, "Remove this row"),
          h("button", { type: "button", onclick: () => explorer.stepRow(-1) }, "Previous row"),
          h("button", { type: "button", onclick: () => explorer.stepRow(1) }, "Next row"))
      : h("p", { class: "note" }, explorer.table.dataset.known ? "" : "Rows cannot be shown or moved: this page holds their statistics only.");
    this.sections.chosen.replaceChildren(this.which, this.bars, this.words, this.parts, this.values, edit);
  }

  buildBoundary() {
    const { explorer } = this;
    const { labels } = explorer.table.dataset;
    const pairs = [];
    for (let a = 0; a < labels.length && pairs.length < MOST_PAIRS; a++) for (let b = a + 1; b < labels.length && pairs.length < MOST_PAIRS; b++) pairs.push([a, b]);
    const now = String(explorer.lesson.pair);
    this.equation = h("div", { class: "equation scrolls", tabindex: "0", role: "group", "aria-label": "Equation of the boundary" });
    this.kind = h("p");
    const select = h("select", { onchange: (/** @type {any} */ event) => explorer.setPair(event.target.value) },
      h("option", { value: "" }, "the two most probable classes"),
      ...pairs.map(([a, b]) => h("option", { value: `${a},${b}`, selected: now === `${a},${b}` }, `${labels[a]} and ${labels[b]}`)));
    this.sections.boundary.replaceChildren(h("label", {}, "Between ", select), this.equation, this.kind);
  }

  buildFit() {
    const rows = [["loglik", "Log-likelihood"], ["free", "Free parameters"], ["errors", "Training errors"], ["loss", "Training log-loss"], ["looErrors", "Leave-one-out errors"], ["looLoss", "Leave-one-out log-loss"]];
    const numbers = /** @type {Record<string, any>} */ ({});
    this.numbers = numbers;
    const list = h("dl", {}, ...rows.map(([name, title]) => {
      const value = h("dd", {}, "—");
      numbers[name] = value;
      return h("div", {}, h("dt", {}, title), value);
    }));
    this.note = h("p", { class: "note" });
    this.sections.fit.replaceChildren(list, this.note);
  }

  buildTake() {
    const { explorer } = this;
    const { hasRows } = explorer.table;
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, disabled = false) => h("button", { type: "button", onclick, disabled }, text);
    this.copied = h("p", { class: "note", role: "status" });
    const drop = h("input", { type: "file", accept: ".csv,text/csv", onchange: (/** @type {any} */ event) => event.target.files[0] && explorer.openFile(event.target.files[0]) });
    this.sections.take.replaceChildren(
      h("div", { class: "buttons" },
        button("Copy Python", () => explorer.taking.copyCode()), button("Copy link", () => explorer.taking.copyLink()),
        button("Rows (CSV)", () => explorer.taking.saveCsv(), !hasRows), button("Picture (SVG)", () => explorer.taking.saveSvg()), button("Picture (PNG)", () => explorer.taking.savePng())),
      this.copied, h("label", { class: "file" }, "Open a CSV file, or drop it on the page: ", drop));
  }

  /** Everything that changes with every frame. */
  update() {
    const { explorer } = this;
    const { model, table } = explorer;
    const { labels, features } = table.dataset;
    const point = explorer.point();
    const row = explorer.lesson.row;
    const own = row === null ? -1 : table.codes[row];
    this.which.textContent = row === null ? "A point of the plane, which is not a row." : `Row ${row}, class ${labels[own] ?? "removed"}.`;
    if (this.values.open) this.fields?.forEach((/** @type {any} */ field, /** @type {number} */ j) => {
      if (field.getRootNode().activeElement !== field) field.value = String(Number(point[j].toPrecision(12)));
    });
    if (!model) return this.clear();
    const logs = normalise(model.joint(point));
    this.updateBars(logs, labels);
    const [a, b] = explorer.pairAt(logs);
    if (labels.length < 2 || !model.covariances[a] || !model.covariances[b]) return this.clear();
    const found = contributions(model, point, a, b);
    const [verdict, reasons] = explanation(found, features, table.dataset.code[a], table.dataset.code[b]);
    this.words.hidden = false;
    this.words.firstChild.textContent = verdict;
    this.words.lastChild.textContent = reasons;
    this.updateParts(found, features, a, b);
    this.updateBoundary(a, b, point);
    this.updateFit();
  }

  clear() {
    const { features } = this.explorer.table.dataset;
    for (const one of [this.bars, this.equation, this.kind]) one.replaceChildren();
    this.fields?.forEach((_, j) => j < this.parts.childElementCount && drawBar(this.parts.children[j], features[j], 0, "—"));
    this.words.hidden = true;
    for (const one of Object.values(this.numbers ?? {})) one.textContent = "—";
  }

  /** @param {Float64Array} logs @param {string[]} labels */
  updateBars(logs, labels) {
    const order = Array.from(logs.keys()).sort((x, y) => logs[y] - logs[x]).slice(0, MOST_BARS);
    const shownClasses = labels.length <= MOST_BARS ? Array.from(labels.keys()) : order;
    fill(this.bars, shownClasses.length, () => barRow());
    shownClasses.forEach((c, at) => {
      const share = Math.exp(logs[c]);
      drawBar(this.bars.children[at], labels[c], 100 * share, share.toFixed(4)).style.background = cssColour(c);
    });
  }

  /** @param {{values: number[], base: number, logOdds: number}} found @param {string[]} features
   * @param {number} a @param {number} b */
  updateParts(found, features, a, b) {
    const all = [...found.values.map((value, j) => ({ name: features[j], value })), { name: "before any feature", value: found.base }];
    const kept = all.length <= MOST_BARS ? all : [...all.slice(0, -1).sort((x, y) => Math.abs(y.value) - Math.abs(x.value)).slice(0, MOST_BARS - 1), all[all.length - 1]];
    const most = Math.max(1e-12, ...kept.map((one) => Math.abs(one.value)));
    fill(this.parts, kept.length, () => barRow());
    kept.forEach(({ name, value }, at) => {
      const share = Math.min(1, Math.abs(value) / most) * 50;
      const bar = drawBar(this.parts.children[at], name, share, (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2));
      bar.style.marginLeft = value < 0 ? `${50 - share}%` : "50%";
      bar.style.background = cssColour(value < 0 ? b : a);
    });
  }

  /** @param {number} a @param {number} b @param {Float64Array} point */
  updateBoundary(a, b, point) {
    const { explorer } = this;
    const { model, table, lesson } = explorer;
    const { labels, features } = table.dataset;
    const { view } = lesson;
    const zero = model?.priors[a] === 0 || model?.priors[b] === 0;
    const form = zero || !model ? null : planeForm(model, a, b, view, explorer.axes, point);
    if (!form) {
      this.equation.replaceChildren();
      this.kind.textContent = zero ? "A prior of 0 leaves no boundary." : "There is no boundary in this plane.";
      return;
    }
    const names = view.kind === "axes" ? ["LD1", "LD2"] : table.d === 1 ? features : [features[view.i], features[view.j]];
    const ordered = view.kind === "features" && table.d === 2 && view.i > view.j ? features : names;
    const text = equationText(form, ordered);
    if (this.equation.dataset.text !== text || !this.equation.firstChild) {
      this.equation.dataset.text = text;
      this.equation.replaceChildren(...equationMath(form, ordered).flatMap((piece) => [piece, " "]));
    }
    const where = table.d <= 2 && view.kind === "features" ? "" : view.kind === "axes" ? " in the plane of the axes" : view.others === "out" ? " of the two features alone" : " where the other features are held";
    const kind = form.centre.length === 2 ? `${/^[aeiou]/.test(conicKind(form)) ? "an" : "a"} ${conicKind(form)}` : "points";
    this.kind.textContent = `${labels[a]} against ${labels[b]}${where}: ${kind}.`.replace("a empty", "empty").replace("an empty", "nowhere").replace("an everything", "everywhere");
  }

  updateFit() {
    const { explorer, numbers } = this;
    const { model, table, lesson, scores } = explorer;
    if (!model || !numbers) return;
    const known = lesson.known !== null;
    numbers.loglik.textContent = table.hasStatistics ? shownLong(logLikelihood(model, table.statistics)) : "—";
    numbers.free.textContent = known ? "none: set by hand" : String(freeParameters(model, lesson.settings));
    const sampled = table.hasRows && !table.isWhole;
    const write = (/** @type {string} */ name, /** @type {any} */ score) => {
      const [count, loss] = name === "training" ? [numbers.errors, numbers.loss] : [numbers.looErrors, numbers.looLoss];
      count.textContent = score ? `${score.errors} of ${score.rows} (${percent(score.errors / score.rows)})` : "—";
      loss.textContent = score ? shown(score.logLoss) : "—";
      for (const one of [count, loss]) one.classList.toggle("stale", explorer.stale);
    };
    write("training", scores?.training);
    write("left", scores?.left);
    this.note.textContent = !table.hasRows && !known ? "Errors and leave-one-out take rows; this page holds statistics only."
      : known ? (table.hasRows ? "Leave-one-out takes estimates; these parameters are set by hand." : "Errors take rows, and there are none.")
      : sampled ? `Of the ${table.size.toLocaleString("en")} rows drawn here; the model is that of all ${table.dataset.count.toLocaleString("en")}.`
      : explorer.stale ? "Being computed …" : "";
  }
}

/** @param {any} list @param {number} length @param {() => Element} make */
function fill(list, length, make) {
  while (list.childElementCount > length) list.lastElementChild.remove();
  while (list.childElementCount < length) list.append(make());
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

/** @param {number} value */
function shownLong(value) {
  return Number.isFinite(value) ? value.toFixed(6).replace("-", "−") : shown(value);
}

/** Shares with one changed and the others in proportion. @param {number[]} shares @param {number} c @param {number} value */
function withShare(shares, c, value) {
  const rest = shares.reduce((sum, share, at) => (at === c ? sum : sum + share), 0);
  return shares.map((share, at) => (at === c ? value : rest > 0 ? (share / rest) * (1 - value) : (1 - value) / (shares.length - 1)));
}
