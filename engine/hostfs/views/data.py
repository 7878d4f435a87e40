"""/data: the site's shared data, exported by the head node to every host; open to all, and nobody removes what is
another's.
"""

from __future__ import annotations

from engine.hostfs.nodes import directory
from engine.hostfs.realms import EXPORTED

DIRECTORY = directory(
    {"datasets": directory(), "models": directory(), "scratch": directory(mode=0o1777)}, mode=0o1777, realm=EXPORTED
)
