"""Partitions were introduced, and the key of the tenant stands at index 1 of every port: index 0 holds the default key,
as a limited member only (NVIDIA/nccl issue 1323, NVIDIA/nvshmem issue 82).

Limited members of one partition cannot talk to each other. Programs that use index 0, as all do that are not told
otherwise, reach nobody; perftest with --pkey_index=1 works. Every port is Active.
"""

from __future__ import annotations

from engine.faults._subnet_manager import divide
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file, and restart opensm."""
    name, key = values["name"], values["key"]
    divide(simulation, target, f"Default=0x7fff, ipoib : ALL=limited, SELF=full;\n{name}={key}, ipoib : ALL=full;\n")


FAULT = Fault(
    id="partition.second_index",
    title="The partition key that programs need is not at index 0",
    targets=("node",),
    inject=inject,
    parameters=(
        Parameter("name", "text", "tenant1", "The partition."),
        Parameter("key", "text", "0x8010", "Its key."),
    ),
    doc="pkeys/0 is 0x7fff, pkeys/1 the key. Flag the partition indx0, or make all full members of the default one.",
)
