"""Public names of `rubricate.corpora`; `__init__.py` reads this list."""

from .archives.archive import members as members
from .catalogue.folders import missing as missing
from .catalogue.loading import load as load
from .catalogue.loading import source as source
from .catalogue.source import DataFile as DataFile
from .catalogue.source import Expected as Expected
from .catalogue.source import Source as Source
from .fetching.fetch import fetch as fetch
from .statistics.duplicates import find_duplicates as find_duplicates
from .statistics.statistics import describe as describe
from .statistics.summary import summary as summary
