// @ts-check
/** The model as Python that makes it again, to the last digit. */

import { parametersOf } from "./model.js";

/** @param {Lesson} lesson @param {Model} model @param {Dataset} dataset */
export function pythonCode({ known, settings }, model, { names, code }) {
  const { structure, pooling, shrinkage, ddof, priors } = settings;
  const { means, covariances, priors: shares } = known ?? parametersOf(model);
  const kept = [...model.covariances.keys()].filter((c) => model.covariances[c]);
  const [isFull, isShared] = [structure === "full", pooling === 1];
  const name = isFull ? (isShared ? "LDA" : "QDA") : isShared ? "DiagonalLDA" : "GaussianNB";
  // As many variances as classes would be a square, which could be a covariance.
  const areMatrices = isFull || (!isShared && kept.length === model.d);
  const own = kept.map((c) => (areMatrices ? covariances[c] : covariances[c].map((row, j) => row[j])));
  const lines = [
    "import suffice as sf",
    "",
    `model = sf.${name}.from_parameters(`,
    `    means=${table(kept.map((c) => means[c]))},`,
    `    covariances=${table(isShared ? own[0] : own)},`,
    `    priors=${python(kept.map((c) => shares[c]))},`,
    `    classes=[${kept.map((c) => code[c]).join(", ")}],`,
    // Rows of an array have no names.
    ...(names.some((one, j) => one !== `x${j + 1}`) ? [`    feature_names=${python(names)},`] : []),
    ")",
    "",
  ];
  if (known) return lines.join("\n");
  const given = [`structure=${python(structure)}`, `pooling=${pooling}`];
  if (shrinkage) given.push(`shrinkage=${shrinkage}`);
  if (ddof) given.push(`ddof=${ddof}`);
  if (priors === "uniform") given.push('priors="uniform"');
  else if (priors) given.push(`priors={${kept.map((c) => `${code[c]}: ${shares[c]}`).join(", ")}}`);
  lines.push("# The same model before it is fitted to rows, such as those that the page saves as CSV.");
  lines.push(`estimator = sf.GaussianDiscriminant(${given.join(", ")})`, "");
  return lines.join("\n");
}

/** A list with one entry per line. @param {any[]} entries */
function table(entries) {
  return `[\n${entries.map((entry) => `        ${python(entry)},\n`).join("")}    ]`;
}

/** Texts, numbers and lists of them, as Python writes them. @param {any} value @returns {string} */
function python(value) {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  return Object.is(value, -0) ? "-0.0" : JSON.stringify(value);
}
