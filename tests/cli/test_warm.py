"""`rubricate warm` is left for scripts that call it."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from rubricate import cli


def test_there_is_nothing_to_do():
    done = CliRunner().invoke(cli.build(), ["warm"])
    assert done.exit_code == 0
    assert "nothing to compile" in done.stderr


def test_json_has_the_fields_of_before():
    done = CliRunner().invoke(cli.build(), ["warm", "--json"])
    assert json.loads(done.stdout) == {"compiled": 0, "seconds": 0.0, "left_out": []}
