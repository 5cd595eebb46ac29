"""Encoders that `rubricate models fetch` knows by name: where they are published, their digests, size and licence."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias

from rubricate.errors import DigestMismatch, EncoderMissing, InvalidFile, UnknownName
from rubricate.storage import models_folder
from rubricate.text.safetensors import read_json

__all__ = [
    "CONFIG",
    "ENCODERS",
    "ENCODER_VARIABLE",
    "PREFIX",
    "TOKENIZER",
    "WEIGHTS",
    "EncoderFolder",
    "KnownEncoder",
    "Pooling",
    "default_encoder",
    "digest_of",
    "known_encoder",
    "locate",
    "locate_again",
    "open_folder",
]


@dataclass(frozen=True)
class KnownEncoder:
    """A published encoder: its files with their SHA-256, the address that they follow, and what it is.

    `files` are paths inside the folder, in the order of fetching: small ones first.
    """

    name: str
    title: str
    licence: str
    address: str
    files: Mapping[str, str]
    bytes: int


_MINILM = KnownEncoder(
    name="all-MiniLM-L6-v2",
    title="English sentences, 384 dimensions, 6 layers",
    licence="Apache-2.0",
    address="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/",
    files={
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
        "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
        "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    bytes=91_335_827,
)

ENCODERS: Mapping[str, KnownEncoder] = {each.name: each for each in (_MINILM,)}
"""Every encoder that is known by name."""


def known_encoder(name: str) -> KnownEncoder:
    """Return the encoder of this name."""
    if name not in ENCODERS:
        raise UnknownName("encoder", name, ENCODERS)
    return ENCODERS[name]


CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MODULES, LIMITS = "modules.json", "sentence_bert_config.json"
PICKLES = ("pytorch_model.bin", "model.pt", "model.pkl", "pytorch_model.pt")
KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
DEFAULT_LONGEST = 256

Pooling: TypeAlias = Literal["mean", "cls"]


@dataclass(frozen=True)
class EncoderFolder:
    """The checked settings of an encoder: where it is, its network, its pooling and the most tokens of a text.

    `foreign` names the modules that only sentence-transformers knows; it is empty where we can compute everything.
    """

    path: Path
    config: Mapping[str, Any]
    pooling: Pooling
    longest: int
    foreign: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.path.resolve().name

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a setting of the network that must be a whole number from 1 to a million."""
        value = self.config.get(key, default)
        if type(value) is not int or not 1 <= value <= 1_000_000:
            raise InvalidFile(
                f"{key} must be a whole number from 1 on, got {value!r:.40}",
                path=self.path / CONFIG,
                remedy="get the encoder's files again",
            )
        return value


def open_folder(path: str | Path) -> EncoderFolder:
    """Return what the files of a folder say; EncoderMissing without a folder, InvalidFile where it cannot be used."""
    folder = Path(path)
    if not folder.is_dir():
        problem = "is a file" if folder.exists() else "does not exist"
        raise EncoderMissing(f"the encoder folder {folder} {problem}")
    _check_files(folder)
    config = read_json(folder / CONFIG)
    if not isinstance(config, dict):
        raise InvalidFile("not a JSON object", path=folder / CONFIG)
    if "auto_map" in config:
        raise InvalidFile(
            "this network is defined by Python code beside its weights (auto_map), which is never run",
            path=folder / CONFIG,
            remedy="use an encoder of the BERT family, or give its vectors as an .npy file",
        )
    pooling, foreign = _modules(folder)
    return EncoderFolder(folder, config, pooling, _longest(folder, config), foreign)


def _check_files(folder: Path) -> None:
    absent = [name for name in (CONFIG, WEIGHTS, TOKENIZER) if not (folder / name).is_file()]
    if not absent:
        return
    remedy = f"give a folder with {CONFIG}, {WEIGHTS} and {TOKENIZER}, as sentence-transformers saves it"
    if WEIGHTS in absent and any((folder / name).exists() for name in PICKLES):
        problem = "its weights are a pickle, which can run code and is never opened"
        raise InvalidFile(problem, path=folder, remedy=f"save it with sentence-transformers as {WEIGHTS}")
    raise InvalidFile(f"no {' and no '.join(absent)} in this folder", path=folder, remedy=remedy)


def _modules(folder: Path) -> tuple[Pooling, tuple[str, ...]]:
    """Return the pooling, and the modules that we do not know."""
    if not (folder / MODULES).is_file():
        return "mean", ()
    modules = read_json(folder / MODULES)
    if not isinstance(modules, list) or not all(isinstance(each, dict) for each in modules):
        raise InvalidFile("not a list of modules", path=folder / MODULES)
    kinds = [str(each.get("type", "")).rpartition(".")[2] for each in modules]
    foreign = tuple(kind for kind in kinds if kind not in KNOWN_MODULES)
    pooling: Pooling = "mean"
    for kind, module in zip(kinds, modules, strict=True):
        if kind == "Pooling":
            mode = _pooling(folder / _inside(folder, str(module.get("path", ""))) / CONFIG)
            pooling, foreign = (mode, foreign) if mode is not None else ("mean", (*foreign, "Pooling"))
    return pooling, foreign


def _inside(folder: Path, name: str) -> str:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if ".." in parts or PurePosixPath(name).is_absolute() or ":" in name:
        raise InvalidFile(f"the path {name!r:.60} leads out of the folder", path=folder / MODULES)
    return name


def _pooling(path: Path) -> Pooling | None:
    """Return the pooling that a configuration names; None for one that we do not have."""
    config = read_json(path)
    if not isinstance(config, dict):
        raise InvalidFile("not a JSON object", path=path)
    if isinstance(config.get("pooling_mode"), str):  # as later versions write it
        modes = {config["pooling_mode"]}
    else:
        names = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
        modes = {names.get(key, key) for key, value in config.items() if key.startswith("pooling_mode") and value}
    if modes == {"mean"}:
        return "mean"
    return "cls" if modes == {"cls"} else None


def _longest(folder: Path, config: Mapping[str, Any]) -> int:
    """Return the most tokens of a text: as the folder says, else 256; never more than the network has places for."""
    given = read_json(folder / LIMITS).get("max_seq_length") if (folder / LIMITS).is_file() else None
    places = config.get("max_position_embeddings", DEFAULT_LONGEST)
    longest = given if type(given) is int else DEFAULT_LONGEST
    if type(places) is not int or min(longest, places) < 3:
        raise InvalidFile(f"texts of at most {min(longest, 0)} tokens cannot be encoded", path=folder / CONFIG)
    return min(longest, places)


def digest_of(path: str | Path) -> str:
    """Return the SHA-256 of what determines the vectors: the digests of a file, or of the files of a folder."""
    place = Path(path)
    if place.is_file():
        return _file_digest(place, place.stat().st_mtime_ns, place.stat().st_size)
    sha = hashlib.sha256()
    for file in sorted(place.rglob("*")):
        if file.suffix in (".json", ".safetensors") and file.is_file():
            stat = file.stat()
            name = file.relative_to(place).as_posix()
            sha.update(f"{name}\0{_file_digest(file, stat.st_mtime_ns, stat.st_size)}\n".encode())
    return sha.hexdigest()


@lru_cache(maxsize=256)
def _file_digest(path: Path, changed: int, size: int) -> str:
    """Return the SHA-256 of a file; computed again where its time or size changed."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
