"""Where the user's things lie on this machine: results, encoders. Nothing here makes a folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["MODELS_VARIABLE", "STORE_VARIABLE", "data_folder", "models_folder", "store_folder", "user_store"]

STORE_VARIABLE = "RUBRICATE_STORE"
MODELS_VARIABLE = "RUBRICATE_MODELS"


def data_folder() -> Path:
    """Return where the system keeps this user's data of Rubricate."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "rubricate"


def user_store() -> Path:
    """Return the user's store, whatever the environment says."""
    return data_folder() / "store"


def store_folder() -> Path:
    """Return the store: the folder that RUBRICATE_STORE names, else the user's."""
    named = os.environ.get(STORE_VARIABLE)
    return Path(named) if named else user_store()


def models_folder() -> Path:
    """Return where fetched encoders lie: the folder that RUBRICATE_MODELS names, else the user's."""
    named = os.environ.get(MODELS_VARIABLE)
    return Path(named) if named else data_folder() / "models"
