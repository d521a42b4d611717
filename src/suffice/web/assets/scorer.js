// @ts-check
/** Scores of rows: within the frame where that is quick, else in a worker, marked stale meanwhile. */

import { leaveOneOut, trainingScore } from "./scores.js";
import { buildModel, knownModel, NoModel } from "./model.js";
import { Statistics } from "./statistics.js";

// Operations that a frame has time for.
const QUICK = 1.5e6;
const PATIENCE_MS = 60;

/** @typedef {ReturnType<typeof jobOf>} Job */

/** What a worker needs: numbers only. @param {Explorer} explorer */
function jobOf({ table, lesson }) {
  const { statistics, d, k, size } = table;
  const { weight, mean, scatter } = statistics;
  const [rows, codes] = [table.rows.subarray(0, size * d), table.codes.subarray(0, size)];
  return { d, k, given: { weight, mean, scatter }, rows, codes, settings: lesson.settings, known: lesson.known };
}

/** @param {Job} job @returns {Scores} */
export function work({ d, k, given, rows, codes, settings, known }) {
  const statistics = new Statistics(k, d, given);
  try {
    const model = known ? knownModel(known, settings, d) : buildModel(statistics, settings);
    return { training: trainingScore(model, rows, codes), left: known ? null : leaveOneOut(statistics, settings, rows, codes) };
  } catch (error) {
    if (!(error instanceof NoModel)) throw error;
    return { training: null, left: null };
  }
}

export class Scorer {
  busy = false;
  worker = /** @type {Worker | null} */ (null);
  key = /** @type {any[]} */ ([]);
  waiting = /** @type {Explorer | null} */ (null);

  /** @param {string | null} source code of the worker
   * @param {(scores: Scores | null, stale: boolean) => void} take */
  constructor(source, take) {
    this.take = take;
    try {
      if (source) this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    } catch {
      // A page may forbid workers: then it waits.
    }
    if (this.worker) this.worker.onmessage = (event) => this.finish(event.data);
  }

  /** @param {Explorer} explorer */
  request(explorer) {
    const { table, lesson, model } = explorer;
    if (!table.hasRows || !model) {
      this.key = [];
      return this.take({ training: null, left: null }, false);
    }
    const key = [table, lesson.settings, lesson.known, explorer.hands.version];
    if (key.every((one, at) => one === this.key[at])) return;
    this.key = key;
    const cost = table.size * table.k * (lesson.settings.structure === "full" ? table.d ** 2 : table.d);
    if (cost <= QUICK) return this.take(work(jobOf(explorer)), false);
    this.take(null, true);
    this.waiting = explorer;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), PATIENCE_MS);
  }

  start() {
    if (this.busy || !this.waiting) return;
    const job = jobOf(this.waiting);
    this.waiting = null;
    if (!this.worker) return this.finish(work(job));
    this.busy = true;
    this.worker.postMessage(job);
  }

  /** @param {Scores} scores */
  finish(scores) {
    this.busy = false;
    this.take(scores, this.waiting !== null);
    this.start();
  }
}
