"""Conjugate priors of Gaussian classes, integrated out."""
