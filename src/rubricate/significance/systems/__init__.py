"""Systems under test: from runs, counts or published figures; two of them side by side."""
