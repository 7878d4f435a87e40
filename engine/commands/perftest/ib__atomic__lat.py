"""ib_atomic_lat of perftest 24.10: on the host, not modelled."""

from __future__ import annotations

from engine.commands.linux._support.unmodelled import unmodelled

COMMAND = unmodelled("ib_atomic_lat", "measure the latency of atomic operations")
