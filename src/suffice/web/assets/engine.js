// @ts-check
/** The engine: everything that computes, and nothing that draws. */

export { conicKind, expanded, logOddsForm, section } from "./boundary.js";
export { contributions, explanation } from "./contributions.js";
export { equationText } from "./equation.js";
export { buildModel, freeParameters, knownModel, logLikelihood } from "./model.js";
export { discriminantAxes, halfAxes, planeGaussian } from "./plane.js";
export { leaveOneOut, trainingScore } from "./scores.js";
export { Statistics } from "./statistics.js";
