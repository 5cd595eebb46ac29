"""What the resampling estimators share: learning and deciding anew, tables of several splits, learning curves."""
