"""Model and rows to answers: posterior, odds, boundary, samples, missing values, outliers."""
