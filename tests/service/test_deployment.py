"""The Dockerfile's steps, run as a script; the unit and the compose file name commands and variables that exist."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"


def _instructions():
    text = re.sub(r"\\\n", " ", (DOCKER / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


def _options_of_serve():
    code = "from rubricate.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    return done.stdout


def test_what_is_copied_is_there():
    for name, arguments in _instructions():
        if name == "COPY" and not arguments.startswith("--from"):
            *sources, _ = arguments.split()
            assert all((ROOT / source).exists() for source in sources), arguments


@pytest.mark.slow
def test_commands_of_image_and_unit_are_those_of_the_program():
    known = _options_of_serve()
    command = next(json.loads(arguments) for name, arguments in _instructions() if name == "CMD")
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str
    unit.read(DOCKER / "rubricate.service", encoding="utf-8")
    started = shlex.split(unit["Service"]["ExecStart"])
    for words in (command, started):
        assert words[:2] == ["rubricate", "serve"] or words[0].endswith("/rubricate")
        assert all(word in known for word in words if word.startswith("--")), words
    compose = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
    for variable in compose["services"]["service"]["environment"]:
        assert variable in known, variable


@pytest.mark.proof
def test_the_steps_of_the_image_give_a_program_that_serves(tmp_path):
    """Run the build steps without Docker: the same commands, in a folder of their own."""
    source, target = tmp_path / "source", tmp_path / "opt"
    for name, arguments in _instructions():
        if name == "COPY" and not arguments.startswith("--from"):
            *parts, _ = arguments.split()
            source.mkdir(exist_ok=True)
            subprocess.run(["cp", "-r", *(str(ROOT / part) for part in parts), str(source)], check=True)
        if name == "RUN" and not {"useradd", "apt-get"} & {*arguments.split()}:
            step = arguments.replace("/opt/rubricate", str(target)).replace("/source", str(source))
            step = step.replace("python -m venv", f"{sys.executable} -m venv")
            subprocess.run(shlex.split(step), check=True, timeout=600)
    refused = subprocess.run(
        [target / "bin" / "rubricate", "serve", "--host", "0.0.0.0", "--workspace", tmp_path / "data"],
        capture_output=True, text=True, timeout=120, env={"PATH": os.environ["PATH"]}, cwd=tmp_path,
    )  # fmt: skip
    assert (refused.returncode, "who may come in" in refused.stderr) == (2, True), refused.stderr
