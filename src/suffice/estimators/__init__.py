"""Estimators with scikit-learn's interface: parameters, validation, delegation."""
