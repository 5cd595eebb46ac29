"""Inputs kept from fuzzing: each is taken or refused by an error of ours; and the fuzzer itself notices faults."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz import targets
from tests.fuzz.findings import RECORD, Findings, totals
from tests.fuzz.mutation import mutated
from tests.fuzz.targets import CORPUS, PARSERS, run

INPUTS = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
ROUNDS = 25


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_inputs_that_were_kept(path):
    taken = run(path.parent.name, path.read_bytes())
    assert taken or not path.name.startswith("seed"), "a seed is valid"


def test_every_parser_has_seeds():
    assert {path.parent.name for path in INPUTS if path.name.startswith("seed")} == {*PARSERS}


@pytest.mark.parametrize("parser", PARSERS)
def test_mutated_seeds_are_taken_or_refused(parser):
    """The same inputs in every run; `make fuzz` tries new ones."""
    generator = random.Random(parser)
    seeds = [path.read_bytes() for path in INPUTS if path.parent.name == parser]
    for _ in range(ROUNDS):
        run(parser, mutated(generator.choice(seeds), seeds, generator))


def test_a_fault_is_counted_once_and_its_input_kept(tmp_path):
    """A parser that fails wherever an x comes: one crash in the report, one file."""

    def brittle(parser, data):
        if b"x" in data:
            raise KeyError("x")

    found = Findings("csv", tmp_path, brittle)
    for data in (b"a", b"x", b"bx", b"c"):
        found.run_one(data)
    assert found.report() | {"seconds": 0} == {"parser": "csv", "executions": 4, "crashes": 1, "seconds": 0}
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"x"]


@pytest.mark.proof
def test_the_program_prints_one_line_per_parser(tmp_path):
    script = Path(targets.__file__).with_name("fuzz.py")
    command = [sys.executable, script, "--seconds", "1", "--engine", "mutation", "--crashes", tmp_path, "csv", "rules"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["parser"] for line in lines] == ["csv", "rules"]
    assert all(line["executions"] > 100 and line["crashes"] == 0 for line in lines)


def test_every_parser_has_a_million_executions_on_record():
    """The record says which engine, Python and revision; `make fuzz APPEND=docs/fuzz.jsonl` adds to it."""
    tried = totals(RECORD.read_text(encoding="utf-8").splitlines())
    assert {*tried} == {*PARSERS}
    assert min(executions for executions, _ in tried.values()) >= 1_000_000
