"""Which documents to label: designs, sizes, and the file in which people fill in the labels."""
