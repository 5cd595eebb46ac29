import sys
from pathlib import Path

import platformdirs
import pytest
from platformdirs import windows
from platformdirs.macos import MacOS

from rubricate import storage as user_folders
from rubricate.storage import cache_folder, config_file, models_folder, store_folder, user_store

VARIABLES = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "RUBRICATE_STORE", "RUBRICATE_MODELS")


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in (*VARIABLES, "RUBRICATE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def folders() -> list[Path]:
    return [user_store(), models_folder(), cache_folder(), config_file()]


@pytest.fixture
def macos(home, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platformdirs, "PlatformDirs", MacOS)
    return home / "Library"


def in_library(library: Path) -> list[Path]:
    support, caches = library / "Application Support" / "rubricate", library / "Caches" / "rubricate"
    return [support / "store", support / "models", caches / "corpora", support / "config.toml"]


@pytest.mark.skipif(sys.platform != "linux", reason="folders of Linux")
def test_linux(home, monkeypatch):
    data, config = home / ".local/share/rubricate", home / ".config/rubricate/config.toml"
    assert folders() == [data / "store", data / "models", home / ".cache/rubricate/corpora", config]
    for name in VARIABLES[:3]:
        monkeypatch.setenv(name, str(home / name))
    data, config = home / "XDG_DATA_HOME/rubricate", home / "XDG_CONFIG_HOME/rubricate/config.toml"
    assert folders() == [data / "store", data / "models", home / "XDG_CACHE_HOME/rubricate/corpora", config]


def test_windows(home, monkeypatch):
    for name in ("LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(home / name))
    monkeypatch.setattr(platformdirs, "PlatformDirs", windows.Windows)
    monkeypatch.setattr(windows, "get_win_folder", windows.get_win_folder_from_env_vars)
    data, config = home / "LOCALAPPDATA/rubricate", home / "APPDATA/rubricate/config.toml"
    assert folders() == [data / "store", data / "models", data / "corpora", config]


def test_macos(macos):
    assert folders() == in_library(macos)


def test_on_macos_variables_count_unless_the_folders_of_before_exist(macos, monkeypatch):
    for name in VARIABLES[:3]:
        monkeypatch.setenv(name, str(macos.parent / name))
    assert user_store() == macos.parent / "XDG_DATA_HOME/rubricate/store"
    assert config_file() == macos.parent / "XDG_CONFIG_HOME/rubricate/config.toml"
    assert cache_folder() == macos.parent / "XDG_CACHE_HOME/rubricate/corpora"
    for path in in_library(macos):
        path.parent.mkdir(parents=True, exist_ok=True)
    assert folders() == in_library(macos)


def test_variables_name_single_folders(home, monkeypatch):
    for name in ("RUBRICATE_STORE", "RUBRICATE_MODELS", "RUBRICATE_CONFIG"):
        monkeypatch.setenv(name, str(home / name))
    assert store_folder() == home / "RUBRICATE_STORE" != user_store()
    assert models_folder() == home / "RUBRICATE_MODELS"
    assert config_file() == home / "RUBRICATE_CONFIG"


def test_nothing_is_made(home):
    folders()
    user_folders.data_folder()
    assert list(home.iterdir()) == []
