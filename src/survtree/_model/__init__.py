"""The estimators and their one fitted state; paths, cross-validation, bootstrap, model files."""
