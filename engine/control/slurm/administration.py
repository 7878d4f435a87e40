"""What operators do to nodes and to slurmctld: change a node's state, reboot nodes through Slurm, read the
configuration anew.

Rules and log lines from SchedMD/slurm 24.11 src/slurmctld/node_mgr.c (update_node, _valid_node_state_change) and
proc_req.c (_slurm_rpc_reboot_nodes). Refusals are returned.
"""

from __future__ import annotations

from engine.control import boot
from engine.control.slurm import configuration, jobs, lifecycle, logs, power_saving, registration, slurmctld
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.nodes import Cluster, named, survey
from engine.control.slurm.states import Base, Flag, NodeCondition
from engine.kernel.actions import Action
from engine.kernel.hostlist import fold
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class UpdateNode(Action):
    """scontrol update nodename=: `state` is DOWN, DRAIN, FAIL, RESUME, UNDRAIN, IDLE, NORESP, CANCEL_REBOOT, POWER_UP,
    POWER_DOWN (_ASAP, _FORCE), "" for no change.
    """

    nodes: str
    by: str
    state: str = ""
    reason: str = ""
    comment: str | None = None

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return SlurmError.USER_ID
        error = None
        try:
            for name in named(configuration.in_force(world), self.nodes):
                error = self._update(simulation, name) or error
        except KeyError:
            return SlurmError.INVALID_NODE
        lifecycle.look_soon(simulation)
        return error

    def _update(self, simulation: Simulation[World], name: str) -> SlurmError | None:
        table = simulation.world.slurm_nodes
        if self.comment is not None:
            table.update(name, comment=self.comment)
        if self.state in power_saving.STATES:
            power_saving.ask(simulation, name, self.state)
            return None
        standing = {"DOWN": table[name].down, "DRAIN": table[name].drain, "FAIL": table[name].fail, "": True}
        if standing.get(self.state) and self.reason in ("", table[name].reason):
            return None
        if self.reason:
            registration.set_reason(simulation, name, self.reason, self.by)
            logs.controller(simulation, f"update_node: node {name} reason set to: {self.reason}")
        if not self.state:
            return None
        cluster = survey(simulation.world)
        if not _allowed(cluster.condition(name), self.state):
            was = cluster.condition(name).long
            logs.controller(
                simulation, f"Invalid node state transition requested for node {name} from={was} to={self.state}"
            )
            return SlurmError.INVALID_NODE_STATE
        if self.state == "CANCEL_REBOOT" and table[name].reboot_issued:
            logs.controller(simulation, f"REBOOT on node {name} already in progress -- unable to cancel")
            return SlurmError.REBOOT_IN_PROGRESS
        _STEPS[self.state](simulation, name)
        self._tell(simulation, name)
        return None

    def _tell(self, simulation: Simulation[World], name: str) -> None:
        """The log names the state that was set; a node that is fit again has no reason."""
        record, condition = simulation.world.slurm_nodes[name], survey(simulation.world).condition(name)
        word = condition.long.rstrip("*") if self.state in ("DRAIN", "FAIL") else condition.base.value[1]
        logs.controller(simulation, f"update_node: node {name} state set to {word}")
        if not (record.down or record.drain or record.fail):
            registration.set_reason(simulation, name, "", "")


@dataclass(frozen=True, slots=True)
class RebootNodes(Action):
    """scontrol reboot: each node restarts when its jobs are over; `asap` lets no new ones in. Returns (error, nodes
    left out).
    """

    nodes: str
    by: str
    asap: bool = False
    next_state: str = ""
    reason: str = ""

    def perform(self, simulation: Simulation[World]) -> tuple[SlurmError | str | None, tuple[str, ...]]:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return "Permission denied", ()
        try:
            names = list(named(configuration.in_force(world), self.nodes))
        except KeyError:
            return SlurmError.INVALID_NODE, ()
        busy = tuple(
            name for name in names if world.slurm_nodes[name].reboot_requested or world.slurm_nodes[name].reboot_issued
        )
        chosen = [name for name in names if name not in busy]
        for name in chosen:
            self._request(simulation, name)
        if chosen:
            logs.controller(simulation, f"reboot request queued for nodes {fold(chosen)}")
        lifecycle.look_soon(simulation)
        return None, busy

    def _request(self, simulation: Simulation[World], name: str) -> None:
        table = simulation.world.slurm_nodes
        if self.reason:
            registration.set_reason(simulation, name, self.reason, self.by)
        drains = self.asap and not table[name].drain
        table.update(
            name,
            reboot_requested=True,
            next_state=self.next_state,
            reboot_drains=drains,
            drain=table[name].drain or self.asap,
        )
        if not table[name].reason:
            registration.set_reason(simulation, name, "Reboot ASAP" if self.asap else "reboot requested", self.by)


@dataclass(frozen=True, slots=True)
class Reconfigure(Action):
    """scontrol reconfigure: slurmctld and every slurmd read the files of their hosts. Returns the error, or None."""

    by: str

    def perform(self, simulation: Simulation[World]) -> SlurmError | str | None:
        if not jobs.is_operator(simulation.world.inventory, self.by):
            return SlurmError.USER_ID
        return slurmctld.reconfigure(simulation)


def issue_reboots(simulation: Simulation[World], cluster: Cluster) -> None:
    """Restart the nodes for which a reboot was asked and whose jobs are over."""
    table = simulation.world.slurm_nodes
    asked = {name for name in table.changed() if table[name].reboot_requested}
    for name in cluster.configuration.nodes if asked else ():
        held = cluster.held(name)
        if name in asked and not held.running and not held.completing:
            registration.add_reason(simulation, name, "reboot issued")
            table.update(name, reboot_requested=False, reboot_issued=True, down=True)
            if registration.is_running(simulation.world, name, logs.SLURMD):
                logs.write(simulation, name, logs.SLURMD, "Node reboot request being processed")
                simulation.apply(boot.Reboot(name, "slurm"))


def _allowed(condition: NodeCondition, state: str) -> bool:
    """Whether slurmctld takes a node from its condition to `state`."""
    flags, base = condition.flags, condition.base
    if state in ("DOWN", "DRAIN", "FAIL", "NORESP"):
        return True
    if state == "CANCEL_REBOOT":
        return bool(flags & (Flag.REBOOT_REQUESTED | Flag.REBOOT_ISSUED))
    if Flag.INVALID_REG in flags:
        return False
    if state == "UNDRAIN":
        return True
    if state == "IDLE":
        return base in (Base.DOWN, Base.IDLE)
    return state == "RESUME" and (base is Base.DOWN or bool(flags & (Flag.DRAIN | Flag.FAIL | Flag.REBOOT_REQUESTED)))


def _down(simulation: Simulation[World], name: str) -> None:
    simulation.world.slurm_nodes.update(name, down=True, unknown=False)
    registration.kill_jobs(simulation, name, by="scontrol update state=down")


def _resume(simulation: Simulation[World], name: str) -> None:
    was_down = simulation.world.slurm_nodes[name].down
    simulation.world.slurm_nodes.update(
        name,
        down=False,
        drain=False,
        fail=False,
        reboot_requested=False,
        reboot_issued=False,
        reboot_drains=False,
        next_state="",
    )
    if was_down:
        simulation.world.slurm_nodes.update(name, last_busy=simulation.now)
        registration.await_timeout(simulation, name)


def _cancel_reboot(simulation: Simulation[World], name: str) -> None:
    record = simulation.world.slurm_nodes[name]
    simulation.world.slurm_nodes.update(
        name,
        reboot_requested=False,
        reboot_drains=False,
        next_state="",
        drain=record.drain and not record.reboot_drains,
    )


_STEPS = {
    "DOWN": _down,
    "DRAIN": lambda simulation, name: simulation.world.slurm_nodes.update(name, drain=True, fail=False),
    "FAIL": lambda simulation, name: simulation.world.slurm_nodes.update(name, fail=True, drain=False),
    "UNDRAIN": lambda simulation, name: simulation.world.slurm_nodes.update(name, drain=False),
    "NORESP": lambda simulation, name: simulation.world.slurm_nodes.update(name, responding=False),
    "RESUME": _resume,
    "IDLE": _resume,
    "CANCEL_REBOOT": _cancel_reboot,
}
