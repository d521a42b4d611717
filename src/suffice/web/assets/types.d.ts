/** The values that modules hand to each other; see the module of each for what it does. */

type Model = import("./model.js").Model;
type Covariance = import("./covariance.js").FullCovariance | import("./covariance.js").DiagonalCovariance;
type Statistics = import("./statistics.js").Statistics;
type Table = import("./table.js").Table;
type Drawing = import("./drawing.js").Drawing;
type Explorer = import("./explorer.js").Explorer;

/** priors: null for class shares, "uniform", or one number per class. */
type Settings = {
  structure: string; pooling: number; shrinkage: number; ddof: number; priors: null | "uniform" | number[];
};

/** Parameters set by hand, in place of estimates. */
type Known = { means: number[][]; covariances: number[][][]; priors: number[] };

type Score = { rows: number; errors: number; logLoss: number };
type Scores = { training: Score | null; left: Score | null };

/** What is drawn: two features, the others integrated out or held at a point or the mean; or axes. */
type View = { kind: "features"; i: number; j: number; others: "out" | "point" | "mean" } | { kind: "axes" };

/** Directions with unit variance within classes, and their shares of the variance between classes. */
type Axes = { directions: Float64Array[]; centre: Float64Array; shares: number[] };

type Box = { x0: number; x1: number; y0: number; y1: number };

/** A log density in the plane: c0 + c1 u + c2 v + c3 uu + c4 uv + c5 vv. */
type Six = Float64Array;

/** u'Qu + g'u + v with u = x - centre, of one or two features; scale: their typical size. */
type Form = { centre: number[]; slope: number[]; value: number; curvature: number[][]; scale: number[] };

/** Statistics by class, as numbers. */
type Given = { weight: ArrayLike<number>; mean: ArrayLike<number>; scatter: ArrayLike<number> };

/** What Python, or a dropped file, hands over.
 * names, code: of features as they are, and of classes as Python writes them
 * rows, codes: base64 of float64 and int32; null where only statistics are given
 * statistics: of all rows, where `rows` is a sample of them or null */
type Dataset = {
  name: string; title: string; features: string[]; names: string[]; labels: string[]; code: string[]; count: number;
  rows: string | null; codes: string | null;
  statistics: Given | null;
  known: Known | null; settings: Partial<Settings>; notes: string[];
};

type Edit =
  | { op: "add"; code: number; values: number[] }
  | { op: "remove"; row: number }
  | { op: "move"; row: number; values: number[] };

/** What the page shows, replaced as a whole. */
type Lesson = {
  data: string; settings: Settings; known: Known | null; view: View; row: number | null;
  point: number[] | null; pair: number[] | null; edits: Edit[];
};

type Payload = { version: number; datasets: Dataset[]; presets: { title: string; hash: string }[] };

/** token: of the server that the page comes from, if there is one. */
type Options = { workerSource?: string | null; usesHash?: boolean; token?: string | null };

/** Attributes of an element; `on...` are listeners. */
type Properties = { [name: string]: any } & { [listener in `on${string}`]?: (event: any) => void };
