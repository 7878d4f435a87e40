"""Where breakfix keeps things on this machine: the only module that knows. BREAKFIX_HOME overrides the platform's
place.
"""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """The user's data folder (not created)."""
    if own := os.environ.get("BREAKFIX_HOME"):
        return Path(own)
    from platformdirs import user_data_path

    return user_data_path("breakfix", appauthor=False)


def sessions_folder() -> Path:
    """Journals of sessions."""
    return data_folder() / "sessions"


def reports_folder() -> Path:
    """Reports of faults in breakfix itself."""
    return data_folder() / "reports"
