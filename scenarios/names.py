"""What the names in a scenario's texts stand for: `{gpu}` is its id, `{gpu.bus_id}` its address in nvidia-smi's form.

Every name that the seed chose brings the attributes of its kind. A time that was chosen has the time
of day of what happened so long before the learner's arrival, `{since.clock}`, and the minute before: `{since.before}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.physics import supplies
from engine.world.inventory import Fan, Gpu, Hca, Node
from engine.world.world import World

SOFTWARE = ("driver", "cuda", "kernel", "slurm", "dcgm", "nccl", "ofed", "opensm")
SITE_NAMES = ("login", "learner", "cluster", *(f"software.{name}" for name in SOFTWARE))

Attributes = Callable[[World, str], Mapping[str, str]]


def site_names(world: World) -> dict[str, str]:
    """Names that every scenario has: login host, learner's account, cluster, versions of software."""
    inventory = world.inventory
    versions = {f"software.{name}": inventory.software.get(name, "") for name in SOFTWARE}
    return {"login": inventory.login_host, "learner": inventory.learner, "cluster": inventory.cluster, **versions}


def attributes(world: World, kind: str, identifier: str) -> dict[str, str]:
    """The attributes of a component, by name."""
    return dict(_ATTRIBUTES[kind](world, identifier)) if kind in _ATTRIBUTES else {}


def attribute_names(kind: str) -> tuple[str, ...]:
    """The attributes that components of a kind have; the same for all of them."""
    return _NAMES.get(kind, ())


def _gpu(world: World, identifier: str) -> dict[str, str]:
    gpu: Gpu = world.inventory.gpu(identifier)
    return {
        "node": gpu.node,
        "short": identifier.rpartition("/")[2],
        "index": str(gpu.index),
        "address": gpu.address,
        "pci": gpu.address.rpartition(".")[0],
        "bus": gpu.address.partition(":")[2],
        "bus_id": f"0000{gpu.address}".upper(),
        "uuid": gpu.uuid,
        "serial": gpu.serial,
        "rail": gpu.rail,
    }


def _hca(world: World, identifier: str) -> dict[str, str]:
    hca: Hca = world.inventory.hca(identifier)
    cable = world.inventory.cables.get(hca.port)
    peer = cable.other(hca.port) if cable else ""
    return {
        "node": hca.node,
        "short": hca.name,
        "address": hca.address,
        "bus": hca.address.partition(":")[2],
        "netdev": hca.netdev,
        "port": hca.port,
        "peer": peer,
        "leaf": peer.rpartition("/")[0],
        "guid": f"{world.inventory.port_guid(hca.port):016x}",
    }


def _fan(world: World, identifier: str) -> dict[str, str]:
    node = identifier.partition("/")[0]
    fan: Fan = next(fan for fan in world.inventory.node(node).fans if fan.id == identifier)
    return {"node": node, "short": identifier.rpartition("/")[2], "index": str(fan.index)}


def _psu(world: World, identifier: str) -> dict[str, str]:
    node = identifier.partition("/")[0]
    psu = next(psu for psu in world.inventory.node(node).psus if psu.id == identifier)
    return {"node": node, "short": identifier.rpartition("/")[2], "index": str(psu.index)}


def _strip(world: World, identifier: str) -> dict[str, str]:
    strip = supplies.strips(world.inventory)[identifier]
    return {"rack": strip.rack, "pdu": strip.pdu, "feed": strip.feed, "number": str(strip.number)}


def _node(world: World, identifier: str) -> dict[str, str]:
    node: Node = world.inventory.node(identifier)
    return {"rack": node.rack, "unit": str(node.unit), "serial": node.serial, "bmc": f"{identifier}-bmc"}


def _job(world: World, identifier: str) -> dict[str, str]:
    job = world.jobs[identifier]
    user = world.inventory.user(job.user)
    return {"name": job.name, "user": job.user, "owner": user.full_name if user else job.user}


def _user(world: World, identifier: str) -> dict[str, str]:
    user = world.inventory.user(identifier)
    full = user.full_name if user else identifier
    return {"full_name": full, "first_name": full.partition(" ")[0]}


_ATTRIBUTES: Mapping[str, Attributes] = MappingProxyType(
    {
        "gpu": _gpu,
        "hca": _hca,
        "fan": _fan,
        "psu": _psu,
        "strip": _strip,
        "node": _node,
        "host": _node,
        "job": _job,
        "user": _user,
    }
)
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "gpu": ("node", "short", "index", "address", "pci", "bus", "bus_id", "uuid", "serial", "rail"),
    "hca": ("node", "short", "address", "bus", "netdev", "port", "peer", "leaf", "guid"),
    "fan": ("node", "short", "index"),
    "psu": ("node", "short", "index"),
    "strip": ("rack", "pdu", "feed", "number"),
    "node": ("rack", "unit", "serial", "bmc"),
    "host": ("rack", "unit", "serial", "bmc"),
    "job": ("name", "user", "owner"),
    "user": ("full_name", "first_name"),
    "time": ("clock", "before"),
})  # fmt: skip
