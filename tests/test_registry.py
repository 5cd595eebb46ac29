"""The registry finds plug-ins by their decorators and answers unknown names with the nearest."""

from __future__ import annotations

import sys

import pytest

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_every_listed_plugin_loads(kind):
    for name in registry.names(kind):
        assert registry.load(kind, name) is not None


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_names_differ_by_more_than_case(kind):
    names = registry.names(kind)
    assert len({name.lower() for name in names}) == len(names)


def test_listing_imports_no_plugin():
    sys.modules.pop("rubricate.engines.dask", None)
    registry.refresh()
    assert "dask" in registry.names("engines")
    assert "rubricate.engines.dask" not in sys.modules


def test_unknown_name_names_the_nearest():
    with pytest.raises(UnknownName, match=r"no engine named 'thread'\. Did you mean 'threads'\?"):
        registry.load("engines", "thread")


def test_unknown_kind_names_the_kinds():
    with pytest.raises(UnknownName, match="engines"):
        registry.names("engine")


def test_find_gives_the_name_back():
    assert registry.find("engines", registry.load("engines", "serial")) == "serial"
    assert registry.find("engines", print) is None


def test_the_name_of_one_of_ours_is_refused():
    registry.load("engines", "serial")
    with pytest.raises(InvalidInput, match=r"'serial' is the name of the engine in rubricate\.engines\.local"):

        @registry.engine("serial")
        def other(function, tasks, ahead=None): ...


def test_every_decorator_in_the_source_is_found():
    """The registry reads decorators from the source: none may be written in a form that it does not see."""
    for kind in registry.KINDS:
        for name in registry.names(kind):
            registry.load(kind, name)
        ours = {name for name, each in registry._loaded[kind].items() if each.home.startswith("rubricate.")}
        assert ours - {"hits", "guess"} <= set(registry._homes(kind)), kind  # the two are made in docstrings
