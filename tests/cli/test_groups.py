"""Groups of options: the command sees a dataclass, its user the fields."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from rubricate.cli.options import grouped


@dataclass(frozen=True)
class Place:
    city: Annotated[str, typer.Option(help="Where.")] = "Here"
    times: Annotated[int, typer.Option(min=1)] = 1


def greet(name: str, *, place: Place, loud: Annotated[bool, typer.Option("--loud")] = False) -> None:
    said = f"{name} in {place.city} " * place.times
    typer.echo(said.upper() if loud else said)


def _run(*arguments: str):
    app = typer.Typer()
    app.command()(grouped(greet))
    return CliRunner().invoke(app, list(arguments))


def test_the_fields_stand_where_the_group_stood():
    assert list(inspect.signature(grouped(greet)).parameters) == ["name", "city", "times", "loud"]


def test_the_command_gets_the_dataclass():
    assert _run("Ann", "--city", "Ulm", "--times", "2", "--loud").output == "ANN IN ULM ANN IN ULM \n"


def test_defaults_are_those_of_the_fields():
    assert _run("Ann").output == "Ann in Here \n"


def test_the_limits_of_an_option_hold():
    assert _run("Ann", "--times", "0").exit_code == 2


def test_two_options_of_one_name_are_refused():
    def twice(city: str, *, place: Place) -> None: ...

    with pytest.raises(ValueError, match="duplicate"):
        grouped(twice)
