"""Files of damaged models, which `save` refuses to write: what another program or a failing disk may leave behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.training import model_file


def write_unchecked(model: Any, path: Path) -> Path:
    """Write a model without trying whether it could be opened again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_file, "_check_readable", lambda stored: None)
        return rb.save(model, path)


def write_damaged(model: Any, path: Path) -> Path:
    """Write a model that `save` must refuse, after trying that it does and leaves no file."""
    path.unlink(missing_ok=True)
    with pytest.raises(InvalidInput, match="could be saved, but not opened again"):
        rb.save(model, path)
    assert not path.exists()
    return write_unchecked(model, path)
