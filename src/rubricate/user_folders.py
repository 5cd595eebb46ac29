"""Where a user's files are on this machine: results, encoders, corpora, defaults. Nothing here makes a folder.

`platformdirs` knows where each system keeps them. On macOS it follows the variables `XDG_…_HOME`, which Rubricate 0.2
did not; the folder of that time is used for as long as it exists.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

__all__ = [
    "CONFIG_VARIABLE",
    "MODELS_VARIABLE",
    "STORE_VARIABLE",
    "cache_folder",
    "config_file",
    "data_folder",
    "models_folder",
    "store_folder",
    "user_store",
]

CONFIG_VARIABLE = "RUBRICATE_CONFIG"
STORE_VARIABLE = "RUBRICATE_STORE"
MODELS_VARIABLE = "RUBRICATE_MODELS"


def data_folder() -> Path:
    """Return where the system keeps this user's data of Rubricate."""
    return _older("Application Support") or _folders().user_data_path


def cache_folder() -> Path:
    """Return the user's cache of corpora, where the system keeps caches; it need not exist."""
    return (_older("Caches") or _folders().user_cache_path) / "corpora"


def config_file() -> Path:
    """Return the file of defaults, the one that RUBRICATE_CONFIG names or else the user's; it need not exist."""
    if named := os.environ.get(CONFIG_VARIABLE):
        return Path(named)
    return (_older("Application Support") or _folders(roaming=True).user_config_path) / "config.toml"


def user_store() -> Path:
    """Return the user's store, whatever the environment says."""
    return data_folder() / "store"


def store_folder() -> Path:
    """Return the store: the folder that RUBRICATE_STORE names, else the user's."""
    named = os.environ.get(STORE_VARIABLE)
    return Path(named) if named else user_store()


def models_folder() -> Path:
    """Return where fetched encoders are: the folder that RUBRICATE_MODELS names, else the user's."""
    named = os.environ.get(MODELS_VARIABLE)
    return Path(named) if named else data_folder() / "models"


def _folders(*, roaming: bool = False) -> platformdirs.PlatformDirs:
    # On Windows the file of defaults roams with the user, data does not; caches have no folder "Cache" of their own.
    return platformdirs.PlatformDirs("rubricate", appauthor=False, roaming=roaming, opinion=False)


def _older(kind: str) -> Path | None:
    """Return the folder that Rubricate 0.2 had on macOS whatever XDG_…_HOME was, if it is there."""
    folder = Path.home() / "Library" / kind / "rubricate"
    return folder if sys.platform == "darwin" and folder.is_dir() else None
