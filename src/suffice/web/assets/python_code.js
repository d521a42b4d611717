// @ts-check
/** The model as Python that makes it again, to the last digit. */

/** @param {import("./lesson.js").Lesson} lesson @param {import("./table.js").Table} table */
export function pythonCode(lesson, table) {
  return lesson.known ? fromParameters(lesson, table) : fromRows(lesson, table);
}

/** @param {import("./lesson.js").Lesson} lesson @param {import("./table.js").Table} table */
function fromParameters(lesson, table) {
  const { dataset } = table;
  const known = /** @type {import("./model.js").Known} */ (lesson.known);
  const shared = lesson.settings.pooling === 1;
  const full = lesson.settings.structure === "full";
  const name = full ? (shared ? "LDA" : "QDA") : shared ? "DiagonalLDA" : "GaussianNB";
  const own = known.covariances.map((matrix) =>
    full ? list2(matrix) : list(matrix.map((_, j) => matrix[j][j])),
  );
  const total = known.priors.reduce((a, b) => a + b, 0);
  return [
    "import suffice as sf",
    "",
    `model = sf.${name}.from_parameters(`,
    `    means=${list2(known.means)},`,
    `    covariances=${shared ? own[0] : `[${own.join(", ")}]`},`,
    `    priors=${list(known.priors.map((p) => p / total))},`,
    `    classes=[${dataset.code.join(", ")}],`,
    `    feature_names=${strings(dataset.features)},`,
    ")",
    "",
  ].join("\n");
}

/** @param {import("./lesson.js").Lesson} lesson @param {import("./table.js").Table} table */
function fromRows(lesson, table) {
  const { settings, edits } = lesson;
  const { dataset } = table;
  const lines = ["import numpy as np", "import suffice as sf", ""];
  lines.push(`# X: one row per row of ${JSON.stringify(dataset.title)}, columns ${strings(dataset.features)}; y: its labels`);
  if (edits.length) lines.push("X, y = np.array(X, float), list(y)");
  for (const edit of edits) if (edit.op === "move") lines.push(`X[${edit.row}] = ${list(edit.values)}`);
    else if (edit.op === "add") lines.push(`X, y = np.vstack([X, ${list(edit.values)}]), [*y, ${dataset.code[edit.code]}]`);
  const gone = edits.flatMap((edit) => (edit.op === "remove" ? [edit.row] : []));
  if (gone.length) lines.push(`X, y = np.delete(X, ${list(gone)}, axis=0), np.delete(y, ${list(gone)})`);
  const given = [`structure=${JSON.stringify(settings.structure)}`, `pooling=${settings.pooling}`];
  if (settings.shrinkage) given.push(`shrinkage=${settings.shrinkage}`);
  if (settings.ddof) given.push(`ddof=${settings.ddof}`);
  if (settings.priors === "uniform") given.push('priors="uniform"');
  else if (settings.priors) given.push(`priors={${settings.priors.map((p, c) => `${dataset.code[c]}: ${p}`).join(", ")}}`);
  lines.push(`model = sf.GaussianDiscriminant(${given.join(", ")}).fit(X, y)`, "");
  return lines.join("\n");
}

/** @param {number[]} values */
function list(values) {
  return `[${values.map(String).join(", ")}]`;
}

/** @param {number[][]} values */
function list2(values) {
  return `[${values.map(list).join(", ")}]`;
}

/** @param {string[]} texts */
function strings(texts) {
  return `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`;
}
