"""The registry finds plug-ins by file name and answers unknown names with the nearest."""

from __future__ import annotations

import importlib
import sys

import pytest

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_every_plugin_file_exports_exactly_one_name(kind):
    for name in registry.names(kind):
        assert registry.load(kind, name) is not None


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_names_differ_by_more_than_case(kind):
    names = registry.names(kind)
    assert len({name.lower() for name in names}) == len(names)


def test_listing_imports_no_plugin():
    sys.modules.pop("rubricate.engines.serial", None)
    registry.refresh()
    assert "serial" in registry.names("engines")
    assert "rubricate.engines.serial" not in sys.modules


def test_unknown_name_names_the_nearest():
    with pytest.raises(UnknownName, match=r"no engine named 'thread'\. Did you mean 'threads'\?"):
        registry.load("engines", "thread")


def test_unknown_kind_names_the_kinds():
    with pytest.raises(UnknownName, match="engines"):
        registry.names("engine")


def test_find_gives_the_name_back():
    assert registry.find("engines", registry.load("engines", "serial")) == "serial"
    assert registry.find("engines", print) is None


def test_a_file_with_two_public_names_is_refused(monkeypatch):
    module = importlib.import_module("rubricate.engines.serial")
    monkeypatch.setattr(module, "__all__", ["serial", "other"])
    with pytest.raises(InvalidInput, match="exactly one name"):
        registry.load("engines", "serial")
