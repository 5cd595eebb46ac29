"""What `rubricate` prints without arguments: the five commands a newcomer needs, and where to continue."""

from __future__ import annotations

__all__ = ["WELCOME"]

WELCOME = """\
Rubricate puts documents under headings, and says how well.

  rubricate train news.csv -o news.rubric    learn from labelled documents
  rubricate classify news.rubric new.csv     label new ones (--say "one text")
  rubricate evaluate truth.csv theirs.csv    measure anyone's predictions
  rubricate compare truth.csv a.csv b.csv    is one really better?
  rubricate study --report report            a whole study, with a page to read

A table of documents has columns 'text' and 'labels' (';' between several).

  rubricate examples      worked examples to paste
  rubricate COMMAND -h    every option of a command
  rubricate --help        all commands
  rubricate doctor        versions, corpora, caches, extras
"""
