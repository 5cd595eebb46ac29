"""Parts of naive Bayes: term weights of each event model, priors and posteriors."""
