"""What the program says when it is asked nothing, for help, for its health, and how the user's defaults are taken."""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from rubricate import registry
from rubricate.cli import build
from rubricate.cli.examples import EXAMPLES
from rubricate.cli.options import defaults
from rubricate.cli.output import WELCOME
from rubricate.errors import InvalidFile, UnknownName

pytestmark = pytest.mark.slow

COMMANDS = typer.main.get_command(build()).commands


def run(*arguments):
    return CliRunner().invoke(build(), [str(argument) for argument in arguments])


def leaves(commands, *path):
    for name, command in commands.items():
        inner = getattr(command, "commands", None)
        if inner:
            yield from leaves(inner, *path, name)
        else:
            yield (*path, name), command


LEAVES = dict(leaves(COMMANDS))


def test_nothing_asked_shows_five_commands():
    done = subprocess.run([sys.executable, "-m", "rubricate"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, WELCOME)
    shown = [line.split()[1] for line in WELCOME.splitlines() if line.startswith("  rubricate ")]
    assert shown[:5] == ["train", "classify", "evaluate", "compare", "study"]
    assert {name for name in shown if name not in ("COMMAND", "--help")} <= set(COMMANDS)
    assert max(map(len, WELCOME.splitlines())) <= 80


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_help_fits_a_terminal(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*path, "-h")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_options_of_one_meaning_have_one_name():
    """A short option and the name of a long one stand for the same parameter in every command."""
    short: dict[str, set[str]] = {}
    for path, command in LEAVES.items():
        for option in command.params:
            longs = [name for name in option.opts if name.startswith("--")]
            for name in option.opts:
                if len(name) == 2 and name.startswith("-") and path[:2] != ("corpus", "show"):
                    short.setdefault(name, set()).update(longs)
    assert short.get("-o") == {"--output"}
    assert all(len(longs) <= 1 for longs in short.values()), short


LINES = [line for _, lines in EXAMPLES.values() for line in lines]


def split(line):
    """Return the words of a command, and the file that its output goes to."""
    command, _, target = line.partition(" > ")
    return shlex.split(command), target


@pytest.mark.parametrize("line", LINES)
def test_every_example_is_understood(line):
    words, _ = split(line)
    assert words[0] == "rubricate"
    command, rest = COMMANDS[words[1]], words[2:]
    while getattr(command, "commands", None):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(command.name, rest)  # raises where an option is unknown or an argument is missing


SUBJECTS = {"grain": "wheat corn harvest bushel", "fuel": "oil gas barrel crude", "money": "bank rate loan bond"}
LABELLED = [
    (f"{subject} {words} {k % 7} report {k}", subject) for k in range(20) for subject, words in SUBJECTS.items()
]
ELSEWHERE = {"rubricate reproduce yang-liu-1999"}
"""Takes minutes and a real corpus; tests/cli/test_reproduce.py runs the command without them."""


def write_table(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])


@pytest.fixture
def described_files(tmp_path):
    """Write the files that the examples speak of and that no command of theirs writes."""
    labelled = [(f"d{i}", *row) for i, row in enumerate(LABELLED)]
    swapped = [("d0", "fuel"), *((name, label) for name, _, label in labelled[1:])]
    for name in ("news.csv", "tagged.csv"):
        write_table(tmp_path / name, ("id", "text", "labels"), labelled)
    write_table(tmp_path / "new.csv", ("id", "text"), [row[:2] for row in labelled[:5]])
    for name in ("truth.csv", "ours.csv"):
        write_table(tmp_path / name, ("id", "labels"), [(row[0], row[2]) for row in labelled])
    write_table(tmp_path / "theirs.csv", ("id", "labels"), swapped)
    (tmp_path / "tree.tsv").write_text("goods\tgrain\ngoods\tfuel\nall\tgoods\nall\tmoney\n", encoding="utf-8")
    tasks = [
        {
            "id": i,
            "data": {"text": text},
            "annotations": [{"result": [{"type": "choices", "value": {"choices": [label]}}]}],
        }
        for i, (text, label) in enumerate(LABELLED)
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks), encoding="utf-8")
    lines = "".join(f"__label__{label} {text}\n" for text, label in LABELLED)
    (tmp_path / "train.txt").write_text(lines, encoding="utf-8")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.proof] if name == "choose" else []) for name in EXAMPLES]
)
def test_every_example_runs(name, rubricate, described_files, tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("RUBRICATE_DATA", raising=False)  # studies then take the corpus that comes with the package
    for line in EXAMPLES[name][1]:
        if line in ELSEWHERE:
            continue
        words, target = split(line)
        code, out, messages = rubricate(*words[1:])
        assert code == 0, f"{line}\n{messages}"
        if target:
            (tmp_path / target).write_text(out, encoding="utf-8")


def test_examples_are_printed_by_name():
    assert EXAMPLES["rules"][1][0] in run("examples", "rules").stdout
    assert [row["name"] for row in json.loads(run("examples", "--json").stdout)] == list(EXAMPLES)
    assert "Did you mean 'rules'" in str(run("examples", "ruls").exception)


def test_doctor():
    checked = json.loads(run("doctor", "--json").stdout)
    assert set(checked["corpora"]) == set(registry.names("corpora"))
    assert all(checked["packages"].values())
    assert checked["corpora"]["newswire"] is True
    assert "frames" in checked["extras"]
    assert "rubricate" in run("doctor").stdout


@pytest.fixture
def config(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    monkeypatch.setenv("RUBRICATE_CONFIG", str(path))
    return path


def test_defaults_of_the_user(config):
    config.write_text('[evaluate]\nundefined = "omit"\n[corpus.show]\nsplit = "x"\n[no_such_command]\na = 1\n')
    assert defaults(build()) == {"evaluate": {"undefined": "omit"}, "corpus": {"show": {"split": "x"}}}


@pytest.mark.parametrize(
    "text, error", [("[train]\nfold = 1\n", UnknownName), ("[train", InvalidFile), ("train = 1\n", InvalidFile)]
)
def test_wrong_defaults(text, error, config):
    config.write_text(text)
    with pytest.raises(error):
        defaults(build())


def test_a_config_that_is_not_there(config):
    with pytest.raises(InvalidFile, match="RUBRICATE_CONFIG names it"):
        defaults(build())
