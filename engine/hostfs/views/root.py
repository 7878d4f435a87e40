"""/root: the superuser's home, each host's own."""

from __future__ import annotations

from engine.hostfs.nodes import directory
from engine.hostfs.views.home import personal_files

DIRECTORY = directory(personal_files(0, 0), 0o700)
