"""Public names of `rubricate.estimation`; `__init__.py` reads this list."""

from rubricate.categorizer.calibration import calibrate as calibrate
from rubricate.categorizer.estimation import Suspect as Suspect

from ._estimate import MEASURES as MEASURES
from ._estimate import Estimate as Estimate
from ._learning_curve import Forecast as Forecast
from ._learning_curve import LearningCurve as LearningCurve
from ._learning_curve import learning_curve as learning_curve
