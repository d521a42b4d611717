"""The inner loops over rows, with NumPy alone or compiled."""
