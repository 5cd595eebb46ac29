"""Public names of `rubricate.experiments`; `__init__.py` reads this list."""

from ..papers.reproduction import reproduce as reproduce
from .plan import Plan as Plan
from .plan_file import read_plan as read_plan
from .runner import run_study as run_study
from .store import Store as Store
from .tuning import tune as tune
