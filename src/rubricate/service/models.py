"""The models that are served, by name; a file that changes is opened again while the old model answers."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rubricate.errors import InvalidInput, RubricateError, UnknownName
from rubricate.service.responses import ResponseWriter
from rubricate.training.categorizer import Categorizer
from rubricate.training.scoring import needs_whole_set

__all__ = ["ModelRegistry", "ServedModel"]

Stamp = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model in memory, the file it came from, and that file's stamp when it was opened.

    `whole` tells that its cut decides on all documents of a call together, so that calls must not be mixed.
    """

    name: str
    path: Path
    stamp: Stamp
    model: Categorizer
    writer: ResponseWriter
    whole: bool

    @classmethod
    def open(cls, name: str, path: Path) -> ServedModel:
        """Open the file of a model."""
        # The stamp first: a file that changes meanwhile is opened again. Whether it can be read, opening says best.
        stamp = _stamp(path) if path.exists() else (0, 0, 0)
        model = Categorizer.open(path)
        if model.model_.width is not None:
            raise InvalidInput(f"{path}: classifies vectors, not text; the service takes text")
        return cls(name, path, stamp, model, ResponseWriter(model), needs_whole_set(model.cut_))


class ModelRegistry:
    """Served models by name. Safe to use from several threads: a reader sees the old model or the new one."""

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._models: dict[str, ServedModel] = {}
        self._failed: dict[str, Stamp] = {}
        self._lock = threading.Lock()
        for path in paths:
            self.put(path.stem, path)

    def put(self, name: str, path: Path) -> ServedModel:
        """Serve a file under a name, in place of the model that had it."""
        opened = ServedModel.open(name, path)
        with self._lock:
            self._models[name] = opened
        return opened

    def drop(self, name: str) -> None:
        """Serve the name no longer; requests under way keep their model."""
        with self._lock:
            self._models.pop(name, None)

    def get(self, name: str) -> ServedModel:
        """Return the model of a name."""
        try:
            return self._models[name]
        except KeyError:
            raise UnknownName("model", name, self._models) from None

    def all(self) -> list[ServedModel]:
        """Return all models, by name."""
        return [self._models[name] for name in sorted(self._models)]

    def refresh(self) -> list[str]:
        """Open again the files that changed; return messages on what was done. A broken file leaves the old model."""
        messages = []
        for served in self.all():
            try:
                stamp = _stamp(served.path)
            except OSError:
                continue  # being replaced, or removed: the model in memory stays
            if stamp in (served.stamp, self._failed.get(served.name)):
                continue
            try:
                self.put(served.name, served.path)
                messages.append(f"model {served.name}: new file in use")
            except RubricateError as error:
                self._failed[served.name] = stamp
                messages.append(f"model {served.name}: the old one stays in use: {error}")
        return messages


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino
