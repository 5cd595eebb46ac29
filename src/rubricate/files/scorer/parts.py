"""The parts of a stored model as plain data, decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubricate.files.model.values import Decoder

__all__ = ["Part", "Unsupported", "root"]


class Unsupported(Exception):
    """The model needs its estimators: plain arithmetic cannot stand in for them."""


class Part:
    """An estimator of a model file by kind and name; parameters and learned values by their names."""

    def __init__(self, node: Any, decoder: Decoder) -> None:
        self.kind, self.name = f"{node['kind']}", f"{node['name']}"
        self._values = {**node["params"], **node["state"]}
        self._decoder = decoder

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __getitem__(self, name: str) -> Any:
        """Return a value; estimators in it are parts."""
        return self._decoder.value(self._values[name])

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default where there is none of this name."""
        return self[name] if name in self._values else default

    def check(self, kind: str, *names: str) -> Part:
        """Return the part if it is of this kind and one of these names; else raise Unsupported."""
        if self.kind != kind or self.name not in names:
            raise Unsupported(f"{self.kind} {self.name}")
        return self


class _PartDecoder(Decoder):
    """Reads plain values as any decoder does, and leaves estimators as parts."""

    def _estimator(self, node: Any) -> Any:
        return Part(node, self)

    def _again(self, number: Any) -> Any:
        raise Unsupported("an estimator that occurs twice")

    def _plugin(self, parts: Any) -> Any:
        raise Unsupported("a function")


def root(node: Any, arrays: list[Any], size: int) -> Part:
    """Return the model of a manifest as a part."""
    part = _PartDecoder(arrays, size).value(node)
    if not isinstance(part, Part):
        raise Unsupported("not an estimator")
    return part
