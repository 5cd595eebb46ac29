"""The page for those who judge anyone's predictions: ranking, groups, matrix, and details on demand."""
