"""Statistics to class models: structure, pooling, shrinkage, priors."""
