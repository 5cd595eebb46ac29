"""How well will it do on documents nobody has labelled: one file an estimator."""
