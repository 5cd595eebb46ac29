"""Which runtime an encoder gets: sentence-transformers where torch sees a GPU, our own where it does not.

Both libraries are stand-ins of a few lines here: what is tested is when they are asked, and for what.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.text.encoders.tiny import write_encoder

from rubricate.errors import MissingExtra
from rubricate.text import encoder as runtime
from rubricate.text.encoder import LibraryRuntime, OwnRuntime, open_runtime

TORCH = "from types import SimpleNamespace\ncuda = SimpleNamespace(is_available=lambda: {seen})\n"
LIBRARY = """
import numpy as np

class SentenceTransformer:
    max_seq_length = 512

    def __init__(self, path, **options):
        self.path, self.options = path, options

    def encode(self, texts, **options):
        return np.array([[len(text), 3.0, 4.0] for text in texts])
"""


@pytest.fixture
def libraries(tmp_path, monkeypatch):
    """Install stand-ins for torch, which sees a GPU or not, and for sentence-transformers."""

    def install(seen: bool) -> None:
        for name, content in (("torch", TORCH.format(seen=seen)), ("sentence_transformers", LIBRARY)):
            (tmp_path / "site" / name).mkdir(parents=True)
            (tmp_path / "site" / name / "__init__.py").write_text(content)
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(tmp_path / "site"))

    runtime._opened.cache_clear()
    yield install
    runtime._opened.cache_clear()
    for name in ("torch", "sentence_transformers"):
        sys.modules.pop(name, None)


def test_a_gpu_is_used_where_torch_sees_one(libraries, tmp_path):
    libraries(seen=True)
    opened = open_runtime(write_encoder(tmp_path / "tiny"), longest=64)
    assert isinstance(opened, LibraryRuntime)
    assert opened._model.options == {"trust_remote_code": False, "local_files_only": True}
    assert opened._model.max_seq_length == 64
    vectors = opened.encode(["", "abc"])
    np.testing.assert_allclose(vectors, [[0, 0.6, 0.8], np.array([3, 3, 4]) / np.sqrt(34)], atol=1e-6)


def test_without_a_gpu_the_encoder_runs_here(libraries, tmp_path):
    libraries(seen=False)
    folder = write_encoder(tmp_path / "tiny")
    assert isinstance(open_runtime(folder), OwnRuntime)
    assert isinstance(open_runtime(folder, backend="sentence-transformers"), LibraryRuntime)


def test_a_library_that_is_asked_for_and_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime.importlib.util, "find_spec", lambda name: None)
    runtime._opened.cache_clear()
    with pytest.raises(MissingExtra, match="sentence-transformers"):
        open_runtime(write_encoder(tmp_path / "tiny"), backend="sentence-transformers")
