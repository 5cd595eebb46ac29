"""Public names of `rubricate.labelling`; `__init__.py` reads this list."""

from .agreement.agreement import Agreement as Agreement
from .agreement.agreement import agreement as agreement
from .agreement.alternative import AlternativeAnnotator as AlternativeAnnotator
from .agreement.alternative import alternative_annotator as alternative_annotator
