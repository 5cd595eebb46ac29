"""Languages of documents: what is known of each, and which one a text is in."""
