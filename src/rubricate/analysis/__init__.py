"""Documents → terms: tokens, stop lists, stemming, phrases."""

from rubricate.analysis._analyzer import Analyzer
from rubricate.analysis._stop import stop_words

__all__ = ["Analyzer", "stop_words"]
