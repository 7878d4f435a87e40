"""rsync: on the host, not modelled."""

from __future__ import annotations

from engine.commands.linux._support.unmodelled import unmodelled

COMMAND = unmodelled("rsync", "copy files between hosts", "Use scp or cp -r.")
