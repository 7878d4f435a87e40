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


def packs_folder() -> Path:
    """Packs that were added."""
    return data_folder() / "packs"


def visitors_folder() -> Path:
    """Folders of those who play in a browser."""
    return data_folder() / "visitors"


def settings_file() -> Path:
    """What the learner has set."""
    return data_folder() / "settings.toml"


def keymap_file() -> Path:
    """Keys that the learner has changed."""
    return data_folder() / "keymap.toml"


def transcripts_folder() -> Path:
    """Text that the learner saved from a terminal."""
    return data_folder() / "saved"


def played_file() -> Path:
    """Results of drills that were handed in."""
    return data_folder() / "played.jsonl"


def exam_history_file() -> Path:
    """What came of each exam item that was answered."""
    return data_folder() / "exam-history.jsonl"


def exam_results_folder() -> Path:
    """Exams and study sessions that were handed in, each with everything that was done in it."""
    return data_folder() / "results"


def item_reports_folder() -> Path:
    """What the learner wrote about exam items that seem wrong."""
    return data_folder() / "item-reports"
