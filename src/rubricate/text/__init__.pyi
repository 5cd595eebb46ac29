"""Public names of `rubricate.text`; `__init__.py` reads this list."""

from .analyzer import Analyzer as Analyzer
from .blocks import Blocks as Blocks
from .embeddings import Embeddings as Embeddings
from .languages import LANGUAGES as LANGUAGES
from .languages import detect_corpus as detect_corpus
from .languages import detect_language as detect_language
from .representation import Representation as Representation
from .selection import Select as Select
from .selection import term_scores as term_scores
from .stop_lists import stop_words as stop_words
from .vectors import Vectors as Vectors
from .weights import BM25 as BM25
from .weights import PivotedLength as PivotedLength
from .weights import Weights as Weights
