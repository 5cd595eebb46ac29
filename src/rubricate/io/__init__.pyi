"""Public names of `rubricate.io`; `__init__.py` reads this list."""

from .assembly import assemble as assemble
from .reader import InputFile as InputFile
from .reader import Reader as Reader
from .reader import Record as Record
from .reading import Reading as Reading
from .text_files import text_lines as text_lines
from .user_files import read_files as read_files
from .user_files import records as records
