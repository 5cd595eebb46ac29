"""A tiny encoder of random weights, written as sentence-transformers lays it out."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEADS, LAYERS, INNER, PLACES = 16, 4, 2, 24, 20
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = [
    *SPECIAL, *string.ascii_lowercase, *("##" + letter for letter in string.ascii_lowercase), *".,!?'", *string.digits,
    "wheat", "corn", "gold", "ship", "oil", "export", "##s", "the", "of", "rose", "中", "文",
]  # fmt: skip
VOCABULARY = {piece: number for number, piece in enumerate(dict.fromkeys(PIECES))}


def config(**changes: Any) -> dict[str, Any]:
    settings = {
        "model_type": "bert",
        "hidden_size": WIDTH,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "intermediate_size": INNER,
        "vocab_size": len(VOCABULARY),
        "max_position_embeddings": PLACES,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    }
    return settings | changes


def tensors(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for i in range(LAYERS):
        sizes = {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "attention.output.LayerNorm": (WIDTH,),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
            "output.LayerNorm": (WIDTH,),
        }
        for name, shape in sizes.items():
            shapes[f"encoder.layer.{i}.{name}.weight"] = shape
            shapes[f"encoder.layer.{i}.{name}.bias"] = shape[:1]
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def tokenizer(**changes: Any) -> dict[str, Any]:
    special = [{"id": VOCABULARY[name], "content": name, "special": True} for name in SPECIAL]
    ends = [{"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "[SEP]"}}]
    settings = {
        "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "lowercase": True, "clean_text": True, "handle_chinese_chars": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": ends},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": VOCABULARY},
    }
    return settings | changes


def write_safetensors(path: Path, arrays: dict[str, Any], *, header: dict[str, Any] | None = None) -> None:
    """Write a file of tensors; `header` replaces what it says of them."""
    places, data = {}, b""
    names = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "uint8": "U8"}
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        places[name] = {
            "dtype": names[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(places if header is None else header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_encoder(folder: Path, *, pooling: str = "mean", seed: int = 0, **changes: Any) -> Path:
    """Write a whole encoder and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config(**changes)))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    write_safetensors(folder / "model.safetensors", tensors(seed))
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [{"path": path, "type": f"sentence_transformers.models.{kind}"} for path, kind in kinds.items()]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    modes = {"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    return folder
