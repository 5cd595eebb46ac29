"""All parts of a workspace, opened together."""

from __future__ import annotations

from pathlib import Path

from rubricate.errors import InvalidFile
from rubricate.service.accounts import Accounts
from rubricate.service.workspace.database import DATABASE_FILE, Database, database_url
from rubricate.service.workspace.documents import DocumentStore
from rubricate.service.workspace.jobs import Jobs
from rubricate.service.workspace.labels import LabelStore
from rubricate.service.workspace.models import ProjectModels
from rubricate.service.workspace.projects import Projects
from rubricate.service.workspace.queue import LabelQueue

__all__ = ["Workspace"]


class Workspace:
    """A folder for models, and the database of everything else.

    A folder that is created is its owner's alone, and so are the database and the models in it, because they hold all
    texts and the hashes of passwords. The mode of what exists already is left as it is.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if url is None:
                (folder / DATABASE_FILE).touch(mode=0o600)  # SQLite gives its other files the same mode
        except OSError as error:
            problem = f"cannot be made a workspace ({error.strerror})"
            raise InvalidFile(problem, path=folder, remedy="choose a folder that you may write to") from None
        self.folder = folder
        self.database = Database(database_url(folder, url))
        self.projects = Projects(self.database)
        self.documents = DocumentStore(self.database)
        self.labels = LabelStore(self.database)
        self.queue = LabelQueue(self.database)
        self.models = ProjectModels(self.database, folder)
        self.jobs = Jobs(self.database, str(folder))
        self.accounts = Accounts(self.database)

    def close(self) -> None:
        """End the jobs of this process and close the database."""
        self.jobs.stop()
        self.database.close()
