"""The user's own files: CSV, JSON lines, Parquet, folders of texts."""
