"""Leave-one-out: predictions for each row of the model trained on all other rows."""
