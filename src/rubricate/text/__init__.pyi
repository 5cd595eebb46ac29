"""Public names of `rubricate.text`; `__init__.py` reads this list."""

from .analyzer import Analyzer as Analyzer
from .blocks import Blocks as Blocks
from .embeddings import Embeddings as Embeddings
from .languages.catalogue import LANGUAGES as LANGUAGES
from .languages.detection import detect_corpus as detect_corpus
from .languages.detection import detect_language as detect_language
from .length_weights import BM25 as BM25
from .length_weights import PivotedLength as PivotedLength
from .representation import Representation as Representation
from .select import Select as Select
from .select import term_scores as term_scores
from .stop_lists import stop_words as stop_words
from .vectors import Vectors as Vectors
from .weights import Weights as Weights
