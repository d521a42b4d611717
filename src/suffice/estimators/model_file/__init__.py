"""A fitted estimator as the header and arrays of a file, and back."""
