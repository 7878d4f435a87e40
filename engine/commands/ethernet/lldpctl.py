"""lldpctl of lldpd 1.0.18: as lldpcli show neighbors."""

from __future__ import annotations

from dataclasses import replace

from engine.commands.ethernet import lldpcli

COMMAND = replace(lldpcli.COMMAND, name="lldpctl", synopsis="lldpctl [NAME...]")
