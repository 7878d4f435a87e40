"""vmstat: on the host, not modelled."""

from __future__ import annotations

from engine.commands.linux._support.unmodelled import unmodelled

COMMAND = unmodelled("vmstat", "show memory, CPU time and traffic of block devices", "Use free, mpstat and top.")
