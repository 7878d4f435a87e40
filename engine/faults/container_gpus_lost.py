"""A container that has its GPUs from the toolkit's hook loses them when systemd reloads: `Failed to initialize NVML:
Unknown Error` inside, while the host is fine (NVIDIA/nvidia-container-toolkit#48). A container of PyTorch that serves
people runs on the node; a package's script reloads systemd. A new start of the container gives the GPUs back until the
next reload; links below /dev/char with devices that are named, CDI, or the cgroup driver cgroupfs keep them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.control.containers import daemon, device_cgroup, images, lifecycle, toolkit
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, HOUR, MINUTE
from engine.world.world import World

RAN_FOR = 4 * DAY + 7 * HOUR + 23 * MINUTE + 41_608_213_977
"""How long the container had its GPUs, in ns."""

IMAGE = "nvcr.io/nvidia/pytorch:24.10-py3"


def start_service(simulation: Simulation[World], host: str, name: str, **more: Any) -> None:
    """A container that stays comes up with all GPUs of a host."""
    fields: dict[str, Any] = {
        "name": name,
        "image": IMAGE,
        "command": ("sleep", "infinity"),
        "gpu_request": "all",
        "restart": "unless-stopped",
        "cgroup_driver": daemon.settings(simulation.world, host).cgroup_driver,
        "ipc": "host",
        "shm_kib": 0,
        **more,
    }
    identifier = simulation.apply(lifecycle.Create(host, tuple(fields.items())))
    gpus = toolkit.pick(
        simulation.world, host, toolkit.Request(everything=True), images.registry()[IMAGE],
        dict(images.registry()[IMAGE].environment),
    )  # fmt: skip
    simulation.apply(lifecycle.Start(host, identifier, tuple(gpu.id for gpu in gpus)))


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The container starts, and systemd is reloaded."""
    start_service(simulation, target, str(values["name"]))
    _make_old(simulation, target)
    pid = simulation.world.systems[target].next_pid
    unit = "apt-daily-upgrade.service"
    simulation.apply(device_cgroup.ReloadManager(target, pid, "systemctl", unit))


def _make_old(simulation: Simulation[World], host: str) -> None:
    """The newest container has run for days: no longer than the host."""
    record = simulation.world.container_hosts[host]
    *others, newest = record.containers
    began = max(simulation.now - RAN_FOR, simulation.world.nodes[host].booted_at + 10 * MINUTE)
    aged = replace(newest, created=began, started=began)
    simulation.world.container_hosts.update(host, containers=(*others, aged))


FAULT = Fault(
    id="container.gpus_lost",
    title="A reload of systemd took the GPUs from a running container",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("name", "text", "notebook", "The container's name."),),
    doc="Failed to initialize NVML: Unknown Error inside only. Start it anew, with devices that systemd knows.",
)
