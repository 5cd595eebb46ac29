"""Two systems → p-values: one file a test; `compare` makes all tests on all pairs and corrects for their number.

A test is called with two runs (or systems made of counts or figures) and returns a `Significance`:
`from rubricate.significance.micro_sign import micro_sign`.
"""

from rubricate.significance._comparison import Comparison, compare
from rubricate.significance._corrections import benjamini_hochberg, holm
from rubricate.significance._plugin import significance_test
from rubricate.significance._published import published, read_counts
from rubricate.significance._system import System

__all__ = [
    "Comparison",
    "System",
    "benjamini_hochberg",
    "compare",
    "holm",
    "published",
    "read_counts",
    "significance_test",
]
