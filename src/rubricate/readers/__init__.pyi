"""Public names of `rubricate.readers`; `__init__.py` reads this list."""

from .record import Record as Record
from .user_files import read_files as read_files
from .user_files import records as records
