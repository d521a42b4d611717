// @ts-check
/** Scores of rows: within the frame where that is quick, else in a worker, marked stale meanwhile. */

import { leaveOneOut, trainingScore } from "./scores.js";
import { buildModel, knownModel, NoModel } from "./model.js";
import { Statistics } from "./statistics.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

// Operations that a frame has time for.
const QUICK = 1.5e6;
const PATIENCE_MS = 60;

/** @param {any} job what a worker needs: numbers only */
export function work(job) {
  const statistics = new Statistics(job.k, job.d);
  statistics.weight.set(job.weight);
  statistics.mean.set(job.mean);
  statistics.scatter.set(job.scatter);
  try {
    const model = job.known ? knownModel(job.known, job.settings, job.d) : buildModel(statistics, job.settings);
    const training = trainingScore(model, job.rows, job.codes);
    const left = job.known ? null : leaveOneOut(statistics, job.settings, job.rows, job.codes);
    return { training, left };
  } catch (error) {
    if (!(error instanceof NoModel)) throw error;
    return { training: null, left: null };
  }
}

export class Scorer {
  /** @param {string | null} source code of the worker
   * @param {(scores: any, stale: boolean) => void} take */
  constructor(source, take) {
    this.take = take;
    this.busy = false;
    /** @type {Worker | null} */
    this.worker = null;
    try {
      if (source) this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    } catch {
      this.worker = null; // a page may forbid workers: then it waits
    }
    if (this.worker) this.worker.onmessage = (event) => this.finish(event.data);
  }

  /** @param {Explorer} explorer */
  request(explorer) {
    const { table, lesson, model } = explorer;
    if (!table.hasRows || !model) return this.take({ training: null, left: null }, false);
    const key = { rows: table, settings: lesson.settings, known: lesson.known, version: explorer.hands.version };
    if (this.key && Object.entries(key).every(([name, value]) => /** @type {any} */ (this.key)[name] === value)) return;
    this.key = key;
    const { d, k } = table;
    const cost = table.size * k * (lesson.settings.structure === "full" ? d * d : d);
    const job = () => this.job(explorer);
    if (cost <= QUICK) return this.take(work(job()), false);
    this.take(null, true);
    this.waiting = job;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), PATIENCE_MS);
  }

  /** @param {Explorer} explorer */
  job({ table, lesson }) {
    const { statistics, d, k } = table;
    const { weight, mean, scatter } = statistics;
    const rows = table.rows.subarray(0, table.size * d);
    return { d, k, weight, mean, scatter, rows, codes: table.codes.subarray(0, table.size), settings: lesson.settings, known: lesson.known };
  }

  start() {
    if (this.busy || !this.waiting) return;
    const job = this.waiting();
    this.waiting = null;
    if (!this.worker) return this.finish(work(job));
    this.busy = true;
    this.worker.postMessage(job);
  }

  /** @param {any} scores */
  finish(scores) {
    this.busy = false;
    this.take(scores, this.waiting !== null && this.waiting !== undefined);
    if (this.waiting) this.start();
  }
}
