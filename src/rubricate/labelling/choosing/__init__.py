"""Which documents to label next, and when to stop looking for those of one category."""
