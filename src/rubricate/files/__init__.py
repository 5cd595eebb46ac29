"""Files that Rubricate writes and reads back: models and predictions."""
