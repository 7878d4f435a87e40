"""The device cgroups of containers, and what systemd makes of them.

runc makes a container's cgroup through systemd (cgroup driver systemd) and tells it which devices it allows. The
toolkit's hook then adds the GPUs behind systemd's back. When systemd reloads, it writes the cgroups anew from what it
knows: GPUs that the hook added are forbidden from then on (NVIDIA/nvidia-container-toolkit#48). Devices of the OCI
specification (`--device`, CDI) are known to systemd, but it finds them by their numbers under /dev/char, so that the
links must be there when the container starts. With the driver cgroupfs, or a privileged container, systemd has no part.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import files, journald
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.records import Container, WrittenFile
from engine.world.world import World

CHAR = "/dev/char"
RULES = "/etc/udev/rules.d/71-nvidia-dev-char.rules"
NVIDIA_MAJOR, CONTROL_MINOR = 195, 255
_MANAGER = "systemd"
_LEAST, _SPREAD = 180, 90


def link_targets(world: World, host: str) -> dict[str, str]:
    """The links of /dev/char that the NVIDIA devices want: name by number."""
    found = {f"{NVIDIA_MAJOR}:{minor}": f"../nvidia{minor}" for minor in range(len(bound_gpus(world, host)))}
    return found | {f"{NVIDIA_MAJOR}:{CONTROL_MINOR}": "../nvidiactl"}


def linked(world: World, host: str) -> bool:
    """Whether /dev/char names the NVIDIA devices of a host."""
    written = world.files[files.files_key(host, CHAR)].files
    control = written.get(f"{CHAR}/{NVIDIA_MAJOR}:{CONTROL_MINOR}")
    return (control is not None and control.target is not None) or by_rule(world, host)


def by_rule(world: World, host: str) -> bool:
    """Whether a rule of udev made the links when the driver was loaded at boot."""
    rule = world.files[files.files_key(host, RULES)].files.get(RULES)
    if rule is None or rule.content is None:
        return False
    return b"create-dev-char-symlinks" in rule.content and rule.modified < world.nodes[host].booted_at


def keeps_gpus(each: Container) -> bool:
    """Whether a container's GPUs outlive a reload of systemd."""
    return each.privileged or each.cgroup_driver != _MANAGER or (each.specified and each.linked)


@dataclass(frozen=True, slots=True)
class MakeLinks(Action):
    """nvidia-ctk system create-dev-char-symlinks: links below /dev/char. Gives the names of the new ones."""

    host: str

    def perform(self, simulation: Simulation[World]) -> tuple[str, ...]:
        there = simulation.world.files[files.files_key(self.host, CHAR)].files
        wanted = link_targets(simulation.world, self.host)
        made = {name: target for name, target in wanted.items() if f"{CHAR}/{name}" not in there}
        now = simulation.now
        entries: dict[str, WrittenFile | None] = {
            f"{CHAR}/{name}": WrittenFile(None, 0o777, 0, 0, now, target=target) for name, target in made.items()
        }
        files.put(simulation, self.host, entries)
        return tuple(made)


@dataclass(frozen=True, slots=True)
class ReloadManager(Action):
    """systemctl daemon-reload, by hand or from a package's script (`client`, in `unit`)."""

    host: str
    pid: int
    client: str = "systemctl"
    unit: str = "session-1.scope"

    def perform(self, simulation: Simulation[World]) -> None:
        took = _LEAST + (self.pid * 37 + simulation.now // 1_000_000) % _SPREAD
        asked = f"Reloading requested from client PID {self.pid} ('{self.client}') (unit {self.unit})..."
        for text in (asked, "Reloading...", f"Reloading finished in {took} ms."):
            journald.log(simulation, self.host, text, source=_MANAGER, pid=1)
        state = simulation.world.container_hosts[self.host]
        changed = tuple(
            replace(each, access=False) if each.status == "running" and each.gpus and not keeps_gpus(each) else each
            for each in state.containers
        )
        if changed != state.containers:
            simulation.world.container_hosts.update(self.host, containers=changed)
