"""EM: mixtures, and rows with missing values."""
