"""All tests on all pairs: schedule, corrections, bands of training frequency, and tables."""
