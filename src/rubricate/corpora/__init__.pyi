"""Public names of `rubricate.corpora`; `__init__.py` reads this list."""

from .archives import members as members
from .duplicates import find_duplicates as find_duplicates
from .fetching import fetch as fetch
from .loading import load as load
from .loading import source as source
from .sources import DataFile as DataFile
from .sources import Expected as Expected
from .sources import Source as Source
from .sources import missing as missing
from .statistics import describe as describe
from .statistics import summary as summary
