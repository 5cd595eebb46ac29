"""Run the command line: `python -m rubricate`."""

from rubricate.cli import main

main()
