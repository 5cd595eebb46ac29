"""Public names of `rubricate.reports`; `__init__.py` reads this list."""

from .data import Explain as Explain
from .data import ReportData as ReportData
from .data import RunLearningCurve as RunLearningCurve
from .data import SuspectLabel as SuspectLabel
from .figures import write_figure as write_figure
from .report import WrittenReport as WrittenReport
from .report import study_data as study_data
from .report import write_report as write_report
from .tables import Table as Table
from .tables import render as render
