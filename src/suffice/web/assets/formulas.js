// @ts-check
/** Formulas behind the numbers of the page: constant MathML, written once here. */

const S = "<msub><mi>Σ</mi><mi>k</mi></msub>";
const M = "<msub><mi>μ</mi><mi>k</mi></msub>";
const STEP = `<mrow><mo>(</mo><mi>x</mi><mo>−</mo>${M}<mo>)</mo></mrow>`;
const LENGTH = `<msup>${STEP}<mo>⊤</mo></msup><msubsup><mi>Σ</mi><mi>k</mi><mrow><mo>−</mo><mn>1</mn></mrow></msubsup>${STEP}`;
const PRIOR = "<msub><mi>π</mi><mi>k</mi></msub>";
const HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>";

/** Each with its name in the library's lecture page. */
export const FORMULAS = {
  model: {
    words: "Pooling λ blends the scatter of a class with that of all; shrinkage γ blends it with a multiple of the identity.",
    markup: `<mrow>${S}<mo>=</mo><mo>(</mo><mn>1</mn><mo>−</mo><mi>γ</mi><mo>)</mo><msub><mi>C</mi><mi>k</mi></msub><mo>+</mo><mi>γ</mi><mfrac><mrow><mi>tr</mi><msub><mi>C</mi><mi>k</mi></msub></mrow><mi>d</mi></mfrac><mi>I</mi><mo>,</mo><mspace width="1em"></mspace><msub><mi>C</mi><mi>k</mi></msub><mo>=</mo><mfrac><mrow><mo>(</mo><mn>1</mn><mo>−</mo><mi>λ</mi><mo>)</mo><msub><mi>W</mi><mi>k</mi></msub><mo>+</mo><mi>λ</mi><mi>W</mi></mrow><mrow><mo>(</mo><mn>1</mn><mo>−</mo><mi>λ</mi><mo>)</mo><msub><mi>N</mi><mi>k</mi></msub><mo>+</mo><mi>λ</mi><mi>N</mi></mrow></mfrac></mrow>`,
  },
  posterior: {
    words: "Bayes' rule: the joint density of a class over the sum of all.",
    markup: `<mrow><mi>p</mi><mo>(</mo><mi>k</mi><mo>|</mo><mi>x</mi><mo>)</mo><mo>=</mo><mfrac><mrow>${PRIOR}<mi>N</mi><mo>(</mo><mi>x</mi><mo>;</mo>${M}<mo>,</mo>${S}<mo>)</mo></mrow><mrow><munder><mo>∑</mo><mi>l</mi></munder><msub><mi>π</mi><mi>l</mi></msub><mi>N</mi><mo>(</mo><mi>x</mi><mo>;</mo><msub><mi>μ</mi><mi>l</mi></msub><mo>,</mo><msub><mi>Σ</mi><mi>l</mi></msub><mo>)</mo></mrow></mfrac></mrow>`,
  },
  boundary: {
    words: "Two classes are equally probable where their discriminant functions are equal.",
    markup: `<mrow><msub><mi>δ</mi><mi>k</mi></msub><mo>(</mo><mi>x</mi><mo>)</mo><mo>=</mo><mi>ln</mi>${PRIOR}<mo>−</mo>${HALF}<mi>ln</mi><mrow><mo>|</mo>${S}<mo>|</mo></mrow><mo>−</mo>${HALF}${LENGTH}</mrow>`,
  },
  contributions: {
    words: "Each product of two features is shared equally between them, so that the parts add up to the log-odds.",
    markup: `<mrow><mi>ln</mi><mfrac><mrow><mi>p</mi><mo>(</mo><mi>a</mi><mo>|</mo><mi>x</mi><mo>)</mo></mrow><mrow><mi>p</mi><mo>(</mo><mi>b</mi><mo>|</mo><mi>x</mi><mo>)</mo></mrow></mfrac><mo>=</mo><mtext>base</mtext><mo>+</mo><munder><mo>∑</mo><mi>j</mi></munder>${HALF}<mo>(</mo><msub><mi>u</mi><mrow><mi>b</mi><mi>j</mi></mrow></msub><msub><mrow><mo>(</mo><msubsup><mi>Σ</mi><mi>b</mi><mrow><mo>−</mo><mn>1</mn></mrow></msubsup><msub><mi>u</mi><mi>b</mi></msub><mo>)</mo></mrow><mi>j</mi></msub><mo>−</mo><msub><mi>u</mi><mrow><mi>a</mi><mi>j</mi></mrow></msub><msub><mrow><mo>(</mo><msubsup><mi>Σ</mi><mi>a</mi><mrow><mo>−</mo><mn>1</mn></mrow></msubsup><msub><mi>u</mi><mi>a</mi></msub><mo>)</mo></mrow><mi>j</mi></msub><mo>)</mo><mo>,</mo><mspace width="1em"></mspace><msub><mi>u</mi><mi>k</mi></msub><mo>=</mo><mi>x</mi><mo>−</mo>${M}</mrow>`,
  },
  fit: {
    words: "The log-likelihood of rows and labels; leave-one-out takes each row from the statistics before it is predicted.",
    markup: `<mrow><mi>ℓ</mi><mo>=</mo><munder><mo>∑</mo><mi>i</mi></munder><mi>ln</mi><mo>(</mo><msub><mi>π</mi><msub><mi>y</mi><mi>i</mi></msub></msub><mi>N</mi><mo>(</mo><msub><mi>x</mi><mi>i</mi></msub><mo>;</mo><msub><mi>μ</mi><msub><mi>y</mi><mi>i</mi></msub></msub><mo>,</mo><msub><mi>Σ</mi><msub><mi>y</mi><mi>i</mi></msub></msub><mo>)</mo><mo>)</mo><mo>,</mo><mspace width="1em"></mspace><mtext>log-loss</mtext><mo>=</mo><mo>−</mo><mfrac><mn>1</mn><mi>N</mi></mfrac><munder><mo>∑</mo><mi>i</mi></munder><mi>ln</mi><mi>p</mi><mo>(</mo><msub><mi>y</mi><mi>i</mi></msub><mo>|</mo><msub><mi>x</mi><mi>i</mi></msub><mo>)</mo></mrow>`,
  },
};
