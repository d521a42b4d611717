// @ts-check
/** The engine in Node: the oracle of Python, and what needs no page. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { differences } from "./check_oracle.mjs";
import { datasetOf, parse, toCsv } from "../../src/suffice/web/assets/csv.js";
import { firstLesson, fromHash, History, toHash } from "../../src/suffice/web/assets/lesson.js";
import { buildModel, NoModel } from "../../src/suffice/web/assets/model.js";
import { zeroCurve, atPlane } from "../../src/suffice/web/assets/plane.js";
import { Statistics } from "../../src/suffice/web/assets/statistics.js";
import { pythonCode } from "../../src/suffice/web/assets/python_code.js";
import { Table } from "../../src/suffice/web/assets/table.js";

const CSV = "a,b,kind\n1,2,x\n2,1,x\n3,5,y\n4,7,y\n5,5,y\n1.5,2.5,x\n";
const dataset = datasetOf("small.csv", CSV);

test("every number is that of Python to ten digits", () => {
  const oracle = JSON.parse(readFileSync(process.env.SUFFICE_ORACLE ?? "", "utf8"));
  assert.ok(oracle.cases.length >= 216 && oracle.drags.length >= 8);
  for (const some of [oracle.cases, oracle.drags]) assert.ok(some.some((/** @type {any} */ one) => one.rows[0].length === 50));
  assert.deepEqual(differences(oracle).slice(0, 10), []);
});

test("an oracle with a wrong digit is noticed", () => {
  const oracle = JSON.parse(readFileSync(process.env.SUFFICE_ORACLE ?? "", "utf8"));
  oracle.cases = oracle.cases.slice(0, 1);
  oracle.drags = oracle.drags.slice(-1);
  oracle.cases[0].expected.joint[0][0] *= 1 + 1e-9;
  oracle.cases[0].expected.errors += 1;
  oracle.drags[0].expected.left_out_log_loss *= 1 + 1e-9;
  assert.equal(differences(oracle).length, 3);
});

test("moving a row and back leaves the statistics as they were", () => {
  const table = new Table(dataset);
  const before = Array.from(table.statistics.scatter);
  const home = Array.from(table.row(0));
  table.move(0, [100, -100]);
  table.move(0, home);
  table.statistics.scatter.forEach((value, at) => assert.ok(Math.abs(value - before[at]) < 1e-10));
  const dropped = new Table(dataset, [{ op: "move", row: 0, values: [100, -100] }, { op: "move", row: 0, values: home }]);
  assert.deepEqual(Array.from(dropped.statistics.scatter), before);
});

test("a lesson is the same after a link", () => {
  const lesson = firstLesson(dataset);
  lesson.settings = { structure: "diagonal", pooling: 0.25, shrinkage: 0.1, ddof: 1, priors: [0.3, 0.7] };
  lesson.edits = [{ op: "move", row: 1, values: [0.1, 1e-17] }, { op: "add", code: 1, values: [9, 9] }, { op: "remove", row: 0 }];
  lesson.row = 6;
  lesson.pair = [1, 0];
  assert.deepEqual(fromHash(toHash(lesson), [dataset]), lesson);
  const known = { ...lesson, edits: [], row: null, point: [1, 2], known: { means: [[0, 0], [1, 1]], covariances: [[[1, 0], [0, 1]], [[1, 0], [0, 2]]], priors: [0.5, 0.5] } };
  assert.deepEqual(fromHash(toHash(known), [dataset]), known);
});

test("a link holds the first two hundred edits", () => {
  const edits = Array.from({ length: 250 }, (_, i) => /** @type {Edit} */ ({ op: "add", code: i % 2, values: [i / 3, 1 - i] }));
  const again = fromHash(toHash({ ...firstLesson(dataset), edits }), [dataset]);
  assert.deepEqual(again.edits, edits.slice(0, 200));
});

for (const bad of ["data=other", "pooling=2", "pooling=", "pooling=NaN", "structure=round", "ddof=0.5", "priors=1,2", "priors=0.5", "x=9", "x=0&y=0", "row=99", "row=-1", "pair=0", "pair=0,0", "pair=0,5", "edits=z1", "edits=m99:1,2", "edits=m0:1", "edits=a7:1,2", "edits=r", "known={}", "known=%7B", "known=null", "known=[1]", "point=1", "point=1,Infinity", "nonsense=1", "%E0%A4%A", "view=top", "view=axes&view=x", "edits=" + "r0;".repeat(300), "data=" + "x".repeat(300000)])
  test(`a link is refused: ${bad.slice(0, 30)}`, () => {
    assert.throws(() => fromHash(bad, [dataset]));
  });

test("no object of a link reaches further than the page", () => {
  const lesson = fromHash(`known=${encodeURIComponent('{"means":[[0,0],[1,1]],"covariances":[[[1,0],[0,1]],[[1,0],[0,1]]],"priors":[0.5,0.5],"__proto__":{"evil":1},"more":1}')}`, [dataset]);
  assert.deepEqual(Object.keys(lesson.known ?? {}).sort(), ["covariances", "means", "priors"]);
  assert.equal(/** @type {any} */ ({}).evil, undefined);
});

test("a hundred steps can be undone, and redone", () => {
  const history = new History();
  let now = firstLesson(dataset);
  for (let i = 1; i <= 130; i++) {
    history.push(now);
    now = { ...now, row: i };
  }
  let steps = 0;
  for (let found = history.undo(now); found; found = history.undo(now)) {
    now = found;
    steps++;
  }
  assert.equal(steps, 100);
  assert.equal(now.row, 30);
  for (let found = history.redo(now); found; found = history.redo(now)) now = found;
  assert.equal(now.row, 130);
});

test("quotes, commas and lines within fields are read and written", () => {
  assert.deepEqual(parse('a;"b;c"\n"d ""e"" f";"g\nh"\r\n'), [["a", "b;c"], ['d "e" f', "g\nh"]]);
  const again = datasetOf("again.csv", toCsv(new Table(dataset)));
  assert.equal(again.rows, dataset.rows);
  assert.deepEqual(again.labels, dataset.labels);
  const formula = datasetOf("f.csv", "a,b,kind\n1,2,=1+1\n2,1,=1+1\n3,5,@x\n4,7,@x\n");
  assert.ok(toCsv(new Table(formula)).includes("'=1+1"));
});

for (const [text, why] of [["", "no rows"], ["a,b\n", "no rows"], ["a,b\n1,x,3\n", "fields"], ["a\nx\ny\n", "no column of numbers"], ["a,b\n1,x\n2,x\n", "has 1 class;"], ["a,b\n1,x\n1,y\n", "same number"], ['a,b\n"1,x\n', "quote"]])
  test(`a bad CSV is refused: ${why}`, () => {
    assert.throws(() => datasetOf("bad.csv", text), new RegExp(why));
  });

test("rows with missing values are left out and counted", () => {
  const found = datasetOf("gaps.csv", CSV + "NA,3,x\n,4,y\n3,4,\n");
  assert.equal(found.count, 6);
  assert.match(found.notes.join(" "), /3 rows with missing values left out/);
});

test("a row that was far away leaves no rounding behind", () => {
  const table = new Table(dataset);
  for (const far of [1e12, 1e30, -1e5]) table.move(1, [far, 2]);
  table.move(0, [0.5, 0.25]);
  table.move(1, [1.5, 2]);
  const again = Statistics.of(table.rows, table.codes, table.k, table.d);
  for (const name of /** @type {const} */ (["weight", "mean", "scatter"]))
    table.statistics[name].forEach((value, at) => assert.ok(Math.abs(value - again[name][at]) < 1e-12, `${name} ${at}: ${value}, not ${again[name][at]}`));
});

test("a singular covariance is explained, not drawn", () => {
  const statistics = Statistics.of(Float64Array.of(1, 1, 2, 2, 3, 3, 4, 4), Int32Array.of(0, 0, 1, 1), 2, 2);
  const settings = { structure: "full", pooling: 1, shrinkage: 0, ddof: 0, priors: null };
  assert.throws(() => buildModel(statistics, settings), NoModel);
  assert.ok(buildModel(statistics, { ...settings, shrinkage: 0.1 }).covariances[0]);
});

test("segments of a curve end on it", () => {
  const six = Float64Array.of(-1, 0.2, 0, 1, 0.5, 2);
  const curve = zeroCurve(six, { x0: -2, x1: 2, y0: -2, y1: 2 }, [0.3, -0.1]);
  assert.ok(curve.length > 100);
  for (let at = 0; at < curve.length; at += 2)
    assert.ok(Math.abs(atPlane(six, curve[at] - 0.3, curve[at + 1] + 0.1)) < 1e-12);
});

test("the code holds every digit, and names as Python reads them", () => {
  const lesson = firstLesson({ ...dataset, names: ['a "quoted"\nname', "\\"] });
  lesson.settings = { ...lesson.settings, pooling: 0.3, priors: "uniform" };
  const table = new Table(dataset);
  const model = buildModel(table.statistics, lesson.settings);
  model.means[0] = -0;
  const code = pythonCode(lesson, model, { ...dataset, names: ['a "quoted"\nname', "\\"] });
  assert.match(code, /\[-0\.0, /);
  assert.ok(code.includes(String(model.means[1])));
  assert.ok(code.includes('feature_names=["a \\"quoted\\"\\nname", "\\\\"]'));
  assert.match(code, /GaussianDiscriminant\(structure="full", pooling=0\.3, priors="uniform"\)/);
});

test("a column that stands twice is refused", () => {
  assert.throws(() => datasetOf("twice.csv", "a,a,kind\n1,2,x\n2,1,y\n"), /two columns are called a/);
});
