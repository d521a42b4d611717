"""The scikit-learn face: parameters, validation, delegation."""
