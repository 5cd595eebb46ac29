"""What is known of a corpus before it is read, where its files are, and loading it."""
