"""Terms → sparse matrix: vocabulary, counts, SMART weights."""
