"""The model file: an estimator of Rubricate as one file of JSON and arrays. See docs/reference/model-file.md.

No pickle: a file names classes only by registry kind and name or by a fixed table, so opening a file can fail but
never execute anything. Truncated, edited, hostile and newer files are refused with InvalidFile and a reason.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from rubricate._version import __version__
from rubricate.errors import EncoderMissing, InvalidFile, InvalidInput
from rubricate.io.container import read_container, refuse, write_container
from rubricate.training.model_values import Decoder, Encoder, PlainDecoder, check_parts, try_out
from rubricate.types import Signature

if TYPE_CHECKING:
    from rubricate.training.model import Model

__all__ = ["StoredModel", "open", "read_manifest", "read_model", "save"]

FORMAT, VERSION = "rubricate-model", 1


def save(estimator: Any, path: str | Path) -> Path:
    """Write a fitted estimator to one file and return its path.

    The same model gives the same bytes. A model that `open` would refuse is refused here: InvalidInput. The file is
    replaced in one step: Ctrl-C leaves the old file or the new one.

    >>> import tempfile
    >>> from rubricate.thresholds.fixed import Rcut
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     open(save(Rcut(t=3), Path(folder) / "three.rubric"))
    Rcut(t=3)
    """
    if not hasattr(estimator, "get_params"):
        raise InvalidInput(f"expected an estimator to save, got {type(estimator).__name__}")
    encoder = Encoder()
    method = getattr(estimator, "signature", None)
    signature = method() if callable(method) else Signature(version=__version__)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "rubricate": __version__,
        "signature": asdict(signature) if isinstance(signature, Signature) else str(signature),
        "model": encoder.value(estimator),
    }
    _check_readable(StoredModel(Path(path), 0, manifest, encoder.arrays))
    write_container(Path(path), manifest, encoder.arrays)
    return Path(path)


def _check_readable(stored: StoredModel) -> None:
    """Refuse to write what `open` would refuse to read: a model that cannot be used would be found too late."""
    text = json.dumps(stored.manifest)
    whole = replace(stored, size=len(text) + sum(array.nbytes for array in stored.arrays), manifest=json.loads(text))
    try:
        whole.estimator()
    except EncoderMissing:  # another machine may have it
        return
    except InvalidFile as error:
        raise InvalidInput(
            f"this model could be saved, but not opened again: {error.problem}; Fix: train it again"
        ) from error


def open(path: str | Path) -> Any:
    """Open a file that `save` wrote and return its estimator; raise InvalidFile for anything else."""
    return read_model(path).estimator()


@dataclass(frozen=True, eq=False)
class StoredModel:
    """The content of a model file, read and verified, not yet an estimator: the manifest and the arrays."""

    path: Path
    size: int
    manifest: dict[str, Any]
    arrays: list[NDArray[Any]]

    def estimator(self) -> Any:
        """Return the estimator; raise InvalidFile where its parts do not fit together."""
        place, decoder = self.path, Decoder(self.arrays, self.size)
        try:
            estimator = decoder.value(self.manifest["model"])
            if not hasattr(estimator, "get_params"):
                refuse(place, "it holds no estimator")
            for part in decoder.estimators:
                check_parts(part)
            try_out(estimator)
        except Exception as error:  # a hostile file may provoke any error; the user sees InvalidFile
            if isinstance(error, (InvalidFile, EncoderMissing)):
                raise
            refuse(place, f"its parts do not fit together ({type(error).__name__}: {error!s:.200})")
        return estimator

    def model(self, *, estimators: bool = False) -> Model:
        """Return the fitted model of a categorizer; its parts are estimators if asked for, or if prediction needs them.

        Without them scikit-learn is not imported, and the model cannot explain.
        """
        plain = None if estimators else _plain_model(self)
        if plain is not None:
            return plain
        estimator = self.estimator()
        if not hasattr(estimator, "model_"):
            kind = type(estimator).__name__
            raise InvalidFile(f"a {kind}, not a Categorizer", path=self.path, remedy="use rubricate.open")
        model: Model = estimator.model_
        return model


def read_model(path: str | Path) -> StoredModel:
    """Read a file that `save` wrote; raise InvalidFile for anything else."""
    place = Path(path)
    manifest, arrays = read_container(place)
    _check_version(manifest, place)
    return StoredModel(place, place.stat().st_size, manifest, arrays)


def _plain_model(stored: StoredModel) -> Model | None:
    """Return a model whose parts are not estimators; None where it takes them, or something is wrong in the file.

    What is wrong is left to `StoredModel.estimator`, which names it.
    """
    decoder = PlainDecoder(stored.arrays, stored.size)
    try:
        model = decoder.value(stored.manifest["model"])
        if model.limit is not None:  # only estimators find the best of very many categories quickly
            return None
        for part in decoder.estimators:
            check_parts(part)
        model.check()
    except Exception:
        return None
    return cast("Model", model)


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the manifest of a model file: versions, signature, the tree of its parts, the digests of its arrays."""
    place = Path(path)
    manifest, _ = read_container(place)
    _check_version(manifest, place)
    return manifest


def _check_version(manifest: dict[str, Any], path: Path) -> None:
    if manifest.get("format") != FORMAT or not isinstance(manifest.get("version"), int):
        refuse(path, "its manifest names another format", "give a file that 'rubricate train' wrote")
    if manifest["version"] < 1:
        refuse(path, f"version {manifest['version']} of the format does not exist")
    if manifest["version"] > VERSION:
        writer = f"{manifest.get('rubricate')!r:.40}"
        refuse(path, f"it was written by a newer Rubricate ({writer})", "install that version or a later one")
    if "model" not in manifest:
        refuse(path, "the manifest has no model")
