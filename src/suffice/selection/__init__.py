"""Choosing between models: folds by subtraction, leave-one-out, criteria, diagnostics."""
