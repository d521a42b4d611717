// @ts-check
/** The engine: everything that computes, and nothing that draws. */

export { conicKind, expanded } from "./boundary.js";
export { contributions, explanation } from "./contributions.js";
export { entries } from "./covariance.js";
export { equationText } from "./equation.js";
export { buildModel, freeParameters, knownModel, logLikelihood } from "./model.js";
export { discriminantAxes, halfAxes, planeForm, planeGaussian } from "./plane.js";
export { leaveOneOut, trainingScore } from "./scores.js";
export { Statistics } from "./statistics.js";
