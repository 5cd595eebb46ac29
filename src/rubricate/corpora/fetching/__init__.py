"""Getting the files of a corpus: by download, or from files the user has; checked by digest."""
