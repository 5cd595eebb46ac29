"""Find an encoder: by path, by the name of a fetched one, or where a model was trained with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rubricate.errors import DigestMismatch, EncoderMissing
from rubricate.text.encoders.folder import digest_of
from rubricate.user_folders import models_folder

__all__ = ["ENCODER_VARIABLE", "PREFIX", "default_encoder", "locate", "locate_again"]

ENCODER_VARIABLE = "RUBRICATE_ENCODER"
"""Names the encoder that `Categorizer()` considers."""
PREFIX = "model:"
"""What `--vectors` has before the folder of an encoder."""


def default_encoder() -> str | None:
    """Return the encoder that the environment names, if any."""
    return os.environ.get(ENCODER_VARIABLE) or None


def locate(model: str | Path) -> Path:
    """Return the path of an encoder, given a path or the name of a fetched one."""
    name = str(model).removeprefix(PREFIX)
    given, fetched = Path(name), models_folder() / name
    if given.exists():
        return given
    if name and len(Path(name).parts) == 1 and fetched.is_dir():
        return fetched
    raise EncoderMissing(
        f"no encoder at {name!r}, and none of this name was fetched. Fix: give the folder of an encoder, or run "
        "'rubricate models list' and 'rubricate models fetch NAME'"
    )


def locate_again(model: str | Path, name: str, digest: str) -> Path:
    """Return the path of the encoder with this digest, which a model was trained with.

    Looked for: where it was, where RUBRICATE_ENCODER says, among the fetched ones.
    """
    others = []
    for place in _places(str(model).removeprefix(PREFIX), name):
        if place.exists():
            if digest_of(place) == digest:
                return place
            others.append(place)
    if others:
        raise DigestMismatch(
            f"this is not the encoder that the model was trained with ({name!r}, sha256 {digest[:12]}…): its files "
            "changed, or it is another one",
            path=others[0],
            remedy=f"set {ENCODER_VARIABLE} to the folder of the former encoder, or train the model again",
        )
    raise EncoderMissing(
        f"the model was trained with the encoder {name!r} (sha256 {digest[:12]}…), which is not here. "
        f"Fix: run 'rubricate models fetch {name}', or set {ENCODER_VARIABLE} to the folder that holds it"
    )


def _places(model: str, name: str) -> Iterator[Path]:
    yield Path(model)
    named = default_encoder()
    if named:
        yield Path(named.removeprefix(PREFIX))
    for each in (model, name):
        if each and len(Path(each).parts) == 1:
            yield models_folder() / each
