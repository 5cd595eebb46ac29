"""What an estimator is: a function that declares what it needs."""
