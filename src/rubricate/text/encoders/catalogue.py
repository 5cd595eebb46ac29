"""Encoders that `rubricate models fetch` knows by name: where they are published, their digests, size and licence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rubricate.errors import UnknownName

__all__ = ["ENCODERS", "KnownEncoder", "known_encoder"]


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
