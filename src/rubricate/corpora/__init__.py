"""Sources → Corpus: one file a corpus, and the readers of the user's own files."""
