"""The idle site of the collective tests."""

from __future__ import annotations

from tests.engine.commands.nccl.conftest import idle, site, typed

__all__ = ["idle", "site", "typed"]
