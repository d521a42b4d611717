"""Covariances: structures, pooling, shrinkage, factors."""
