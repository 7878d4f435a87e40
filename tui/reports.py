"""Reports of faults in breakfix itself, kept on disk for whoever mends them."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from tui.paths import reports_folder


def write_report(text: str) -> Path | None:
    """Keep a report. Returns its file, or None where the disk does not take it."""
    folder = reports_folder()
    head = f"breakfix {version('breakfix')}, Python {platform.python_version()}, {platform.system()}\n\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while (path := folder / f"report-{number}.txt").exists():
            number += 1
        path.write_text(head + text, encoding="utf-8")
    except OSError:
        return None
    return path
