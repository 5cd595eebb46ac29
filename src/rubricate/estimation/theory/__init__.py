"""What is proved about estimators."""
