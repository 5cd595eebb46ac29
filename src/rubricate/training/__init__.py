"""Training: representation, candidates, cut, folds."""
