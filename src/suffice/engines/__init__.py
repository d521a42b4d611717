"""The same pass on clusters and accelerators."""
