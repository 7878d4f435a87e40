"""perl: on the host, not modelled."""

from __future__ import annotations

from engine.commands.linux._support.unmodelled import unmodelled

COMMAND = unmodelled("perl", "the Perl language", "Use awk or sed.")
