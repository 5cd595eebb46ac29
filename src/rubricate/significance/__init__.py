"""Two systems to p-values: one module per family of tests.

`compare` runs all tests on all pairs and corrects for their number. A test is called with two
runs (or systems made of counts or figures) and returns a `Significance`, as
`from rubricate.significance.sign_tests import micro_sign`.
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
