"""Documents → terms: tokens, stop lists, stemming, phrases."""
