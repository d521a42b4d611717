// @ts-check
/** The model as Python that makes it again, to the last digit. */

/** @param {Lesson} lesson @param {Table} table */
export function pythonCode(lesson, table) {
  return (lesson.known ? fromParameters(lesson.known, lesson.settings, table.dataset) : fromRows(lesson, table.dataset)).join("\n");
}

/** @param {Known} known @param {Settings} settings @param {Dataset} dataset */
function fromParameters(known, settings, dataset) {
  const shared = settings.pooling === 1;
  const full = settings.structure === "full";
  const name = full ? (shared ? "LDA" : "QDA") : shared ? "DiagonalLDA" : "GaussianNB";
  const own = known.covariances.map((matrix) => (full ? matrix : matrix.map((row, j) => row[j])));
  const total = known.priors.reduce((a, b) => a + b, 0);
  return [
    "import suffice as sf",
    "",
    `model = sf.${name}.from_parameters(`,
    `    means=${list(known.means)},`,
    `    covariances=${list(shared ? own[0] : own)},`,
    `    priors=${list(known.priors.map((p) => p / total))},`,
    `    classes=[${dataset.code.join(", ")}],`,
    `    feature_names=${list(dataset.features)},`,
    ")",
    "",
  ];
}

/** @param {Lesson} lesson @param {Dataset} dataset */
function fromRows({ settings, edits }, dataset) {
  const { priors } = settings;
  const lines = ["import numpy as np", "import suffice as sf", ""];
  lines.push(`# X: one row per row of ${JSON.stringify(dataset.title)}, columns ${list(dataset.features)}; y: its labels`);
  if (edits.length) lines.push("X, y = np.array(X, float), list(y)");
  for (const edit of edits)
    if (edit.op === "move") lines.push(`X[${edit.row}] = ${list(edit.values)}`);
    else if (edit.op === "add") lines.push(`X, y = np.vstack([X, ${list(edit.values)}]), [*y, ${dataset.code[edit.code]}]`);
  const gone = list(edits.flatMap((edit) => (edit.op === "remove" ? [edit.row] : [])));
  if (gone !== "[]") lines.push(`X, y = np.delete(X, ${gone}, axis=0), np.delete(y, ${gone})`);
  const given = [`structure=${list(settings.structure)}`, `pooling=${settings.pooling}`];
  if (settings.shrinkage) given.push(`shrinkage=${settings.shrinkage}`);
  if (settings.ddof) given.push(`ddof=${settings.ddof}`);
  if (priors === "uniform") given.push('priors="uniform"');
  else if (priors) given.push(`priors={${priors.map((p, c) => `${dataset.code[c]}: ${p}`).join(", ")}}`);
  lines.push(`model = sf.GaussianDiscriminant(${given.join(", ")}).fit(X, y)`, "");
  return lines;
}

/** Texts, numbers and lists of them, as Python writes them. @param {any} value @returns {string} */
function list(value) {
  if (Array.isArray(value)) return `[${value.map(list).join(", ")}]`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
