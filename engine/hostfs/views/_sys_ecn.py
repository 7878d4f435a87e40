"""Congestion control and quality of service of mlx5 Ethernet interfaces in sysfs, as MLNX_OFED's driver has them.

/sys/class/net/*/ecn/roce_np and roce_rp: names and beginnings of NVIDIA's guides and of mlxconfig's dumps (what nobody
can set here is read-only: they change nothing in the model). /sys/class/net/*/qos: trust and maxrate; guess: the form.
"""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Effect, Node, Write, file
from engine.hostfs.tree import ErrorCode
from engine.kernel.actions import Action
from engine.world.inventory import Hca
from engine.world.records.ethernet import PRIORITIES, TRUST_DSCP, TRUST_PCP

NOTIFICATION_POINT = {"min_time_between_cnps": "4"}
REACTION_POINT = {
    "clamp_tgt_rate": "0", "clamp_tgt_rate_after_time_inc": "1", "dce_tcp_g": "1019", "dce_tcp_rtt": "1",
    "initial_alpha_value": "1023", "rate_reduce_monitor_period": "4", "rate_to_set_on_first_cnp": "0",
    "rpg_ai_rate": "5", "rpg_byte_reset": "32767", "rpg_gd": "11", "rpg_hai_rate": "50", "rpg_max_rate": "0",
    "rpg_min_dec_fac": "50", "rpg_min_rate": "1", "rpg_threshold": "1", "rpg_time_reset": "300",
}  # fmt: skip
_SIDES = {"roce_np": "notifies", "roce_rp": "reacts"}
_MOST = {"cnp_dscp": 63, "cnp_802p_prio": 7}
_FIELDS = {"cnp_dscp": "cnp_dscp", "cnp_802p_prio": "cnp_priority"}
_KILOBITS = 1_000_000


def files(hca: Hca) -> dict[str, Node]:
    """The files below an interface."""
    found = {
        f"ecn/{side}/enable/{number}": _switch(hca, field, number)
        for side, field in _SIDES.items()
        for number in range(PRIORITIES)
    }
    found |= {f"ecn/roce_np/{name}": _setting(hca, name) for name in _MOST}
    found |= {f"ecn/roce_np/{name}": file(f"{text}\n", 0o444) for name, text in NOTIFICATION_POINT.items()}
    found |= {f"ecn/roce_rp/{name}": file(f"{text}\n", 0o444) for name, text in REACTION_POINT.items()}
    return found | _quality(hca)


def _switch(hca: Hca, field: str, number: int) -> Node:
    """A reaction or notification point of a priority: 0 or 1."""

    def content(machine: Machine) -> str:
        return f"{int(getattr(machine.world.roce[hca.port], field)[number])}\n"

    def write(machine: Machine, text: bytes) -> Effect:
        word = text.decode("utf-8", "replace").strip()
        if word not in ("0", "1"):
            return ErrorCode.INVALID
        now = list(getattr(machine.world.roce[hca.port], field))
        now[number] = word == "1"
        return _set_roce(hca, field, tuple(now))

    return file(content, on_write=write)


def _set_roce(hca: Hca, field: str, value: object) -> Action:
    from engine.physics.ethernet.settings import SetRoce

    return SetRoce((hca.port,), ((field, value),))


def _setting(hca: Hca, name: str) -> Node:
    def content(machine: Machine) -> str:
        return f"{getattr(machine.world.roce[hca.port], _FIELDS[name])}\n"

    def write(_machine: Machine, text: bytes) -> Effect:
        word = text.decode("utf-8", "replace").strip()
        if not word.isdigit() or int(word) > _MOST[name]:
            return ErrorCode.INVALID
        return _set_roce(hca, _FIELDS[name], int(word))

    return file(content, on_write=write)


def _quality(hca: Hca) -> dict[str, Node]:
    def trust(machine: Machine) -> str:
        return f"{machine.world.port_qos[hca.port].trust}\n"

    def rates(machine: Machine) -> str:
        limits = machine.world.port_qos[hca.port].rate_limits
        return " ".join(str(limit * _KILOBITS) for limit in limits) + "\n"

    return {"qos/trust": file(trust, on_write=_trusting(hca)), "qos/maxrate": file(rates, 0o444)}


def _trusting(hca: Hca) -> Write:
    def write(machine: Machine, text: bytes) -> Effect:
        word = text.decode("utf-8", "replace").strip()
        if word not in (TRUST_DSCP, TRUST_PCP):
            return ErrorCode.INVALID
        from engine.physics.ethernet.settings import SetPortQos

        return SetPortQos((hca.port,), (("trust", word),))

    return write
