"""`rubricate convert` writes documents in another format."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from rubricate.cli import build

TABLE = 'id,title,text,labels,split\n1,T,"a ""quoted"", word",x;y,train\nb 2,,=1+1,y,test\n'


def run(*arguments):
    return CliRunner().invoke(build(), [str(argument) for argument in ("convert", *arguments)])


def test_there_and_back(tmp_path):
    source, export, back = (tmp_path / name for name in ("a.csv", "export.json", "back.csv"))
    source.write_text(TABLE)
    done = run(source, "--title", "title", "-o", export, "--to", "labelstudio", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"file": str(export), "documents": 2}
    assert run(export, "--format", "labelstudio", "--title", "title", "-o", back).exit_code == 0
    assert back.read_text() == TABLE


def test_nothing_half_written(tmp_path):
    source, target = tmp_path / "a.csv", tmp_path / "a.ft"
    source.write_text("text,labels\nok,x\nbad,two words\n")
    target.write_text("old")
    assert run(source, "-o", target).exit_code == 1
    assert target.read_text() == "old"
