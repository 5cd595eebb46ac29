"""Public names of `rubricate.readers`; `__init__.py` reads this list."""

from .assembly import assemble as assemble
from .input_file import InputFile as InputFile
from .reader import Reader as Reader
from .reading import Reading as Reading
from .record import Record as Record
from .text_lines import text_lines as text_lines
from .user_files import read_files as read_files
from .user_files import records as records
