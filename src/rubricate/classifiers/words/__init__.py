"""Words of documents and of category names: presence, counts, weights, and how much each speaks for a category."""
