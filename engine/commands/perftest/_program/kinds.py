"""Which of perftest's programs this is: the verb that it measures, and bandwidth or latency."""

from __future__ import annotations

from dataclasses import dataclass

from engine.workloads.perftest import READ, SEND, WRITE

__all__ = ["BANDWIDTH", "LATENCY", "READ", "SEND", "WRITE", "Kind"]

BANDWIDTH, LATENCY = "bandwidth", "latency"


@dataclass(frozen=True, slots=True)
class Kind:
    """A program: its name, verb and test."""

    name: str
    verb: str
    test: str

    @property
    def bandwidth(self) -> bool:
        return self.test == BANDWIDTH

    @property
    def title(self) -> str:
        """The verb as the header names it."""
        return {WRITE: "RDMA_Write", READ: "RDMA_Read", SEND: "Send"}[self.verb]
