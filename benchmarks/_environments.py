"""Environments of peers that cannot be installed beside us: build/peers/NAME, each made on first use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["peer_python"]

PEERS = Path(__file__).parents[1] / "build" / "peers"


def peer_python(name: str, *packages: str) -> Path | None:
    """Return the Python of an environment with these packages; None and a line on stderr where it cannot be made."""
    folder = PEERS / name
    python, ready = folder / "bin" / "python", folder / ".ready"
    if ready.exists() and ready.read_text(encoding="utf-8") == "\n".join(packages):
        return python
    print(f"making {folder.relative_to(PEERS.parents[1])}, once …", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *packages]
    for command in ([sys.executable, "-m", "venv", str(folder)], pip):
        if subprocess.run(command, check=False).returncode:
            print(f"{name} cannot be installed here: no row", file=sys.stderr)
            return None
    ready.write_text("\n".join(packages), encoding="utf-8")
    return python
