"""scikit-learn's tests of LDA and QDA."""

from sklearn_suite import suite

STORED = "covariance_ is always there, and computed when asked for"
SOLVED = "every solver takes every parameter: the same closed form serves all"

found = suite(
    "sklearn.tests.test_discriminant_analysis",
    {
        "test_lda_predict": SOLVED,
        "test_lda_transform": SOLVED,
        "test_lda_store_covariance": STORED,
        "test_qda_store_covariance": STORED,
        "test_qda_covariance_estimator": SOLVED,
        "test_lda_priors": "the sentence names the class: 'Priors must be non-negative: ...'",
        "test_lda_ledoitwolf": "'auto' shrinks the pooled covariance once, not class by class",
        "test_qda_ledoitwolf": "'auto' is OAS of the correlations, not Ledoit-Wolf of them",
        "test_qda": "a class that never varies, or has one row, borrows the pooled covariance",
        "test_qda_regularization": "singular covariances are repaired, with a warning",
        "test_raises_value_error_on_one_sample_per_class": "a class of one row borrows",
        "test_qda_coefs": "there are no rotations_ and scalings_: factors are Cholesky's",
    },
)
globals().update(found)
