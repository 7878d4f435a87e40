"""The cluster of the captures in ../shared/realtools/slurm: eighteen GPU nodes on one machine, run by Slurm 22.05.8.

Its slurm.conf and gres.conf are those of the captures, less what the model lacks (a node in FUTURE state). The nodes
are DGX H100 underneath; what slurmctld tells of them follows from slurm.conf alone. Nodes gpu-019, gpu-020 and login-01
never had a slurmd.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

from engine.control.files import files_key
from engine.control.slurm.files import GRES_CONF, SLURM_CONF, cgroup_conf
from engine.kernel.documents import read_document
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import new_simulation
from engine.sites.build import build_inventory
from engine.world.records import WrittenFile, WrittenFiles
from engine.world.world import World
from tests.support.run import Result, run_command

FOLDER = "realtools/slurm"
SILENT = ("gpu-019", "gpu-020", "login-01")
HEAD = "vm"

_SITE = """\
format: 1
name: captured
title: The cluster of the captures
cluster: gpupod
domain: example.org
start: 2026-11-30 14:08:35
timezone: Etc/UTC
login_host: vm
learner: alice
inlet_temperature: 24
software: {os: Ubuntu 24.04.1 LTS, kernel: 6.8.0-51-generic, driver: 590.48.01, cuda: "13.1",
  fabric_manager: 590.48.01, dcgm: 4.4.2, nccl: 2.28.9, ofed: 24.10-1.1.4, mft: 4.30.1, slurm: "22.05", opensm: 5.21.12}
networks:
  management: {subnet: 10.20.0.0/24}
  inband: {subnet: 10.30.0.0/24}
  bmc: {subnet: 10.20.1.0/24}
racks: [R01]
nodes:
  - {names: vm, board: head-server, role: head, rack: R01, unit: 90, first_address: 10}
  - {names: "gpu-[001-020]", board: dgx-h100, role: compute, rack: R01, unit: 1, unit_step: 4, first_address: 11}
  - {names: login-01, board: head-server, role: compute, rack: R01, unit: 85, first_address: 40}
users:
  - {name: alice, uid: 1001, full_name: Alice, groups: [ml]}
  - {name: bob, uid: 1002, full_name: Bob, groups: [infra]}
slurm:
  partitions:
    - {name: batch, nodes: "gpu-[001-020]", default: true, max_time: 2-00:00:00}
    - {name: debug, nodes: login-01, max_time: INFINITE}
  operators: []
jobs: []
"""


def captured_cluster(shared: Path) -> Simulation[World]:
    """The cluster as it was before the first job, with the configuration of the captures in force."""
    simulation = new_simulation(build_inventory(read_document(_SITE, "captured.yaml"), {}), 1)
    world, folder = simulation.world, shared / FOLDER / "conf"
    slurm_conf = re.sub(r"(?m)^NodeName=gpu-021 .*\n", "", (folder / "slurm.conf").read_text())
    gres_conf = (folder / "gres.conf").read_text()
    world.slurm.update("", configuration=(slurm_conf, gres_conf), next_job=1)
    texts = {SLURM_CONF: slurm_conf, GRES_CONF: gres_conf}
    for name in world.inventory.node_names:
        for path, text in texts.items():
            key, file = files_key(name, path), WrittenFile(text.encode(), 0o644, 0, 0, 0)
            world.files[key] = WrittenFiles(MappingProxyType({**world.files[key].files, path: file}))
        world.slurm_nodes.update(name, files=(slurm_conf, gres_conf, cgroup_conf()))
    for name in SILENT:
        world.slurm_nodes.update(name, unknown=True)
    return simulation


def capture(shared: Path, name: str) -> list[str]:
    """The lines of a capture between its command and its exit status, without the blanks at their ends."""
    lines = (shared / FOLDER / name).read_text().splitlines()
    return [line.rstrip() for line in lines[1:] if not re.fullmatch(r"\[rc=\d+\]", line)]


def status(shared: Path, name: str) -> int:
    """The exit status of a capture."""
    found = re.findall(r"(?m)^\[rc=(\d+)\]$", (shared / FOLDER / name).read_text())
    return int(found[-1])


def command_of(shared: Path, name: str) -> tuple[str, str]:
    """(user, command line) of a capture."""
    first = (shared / FOLDER / name).read_text().splitlines()[0]
    user, _, line = first.partition("$ ")
    return user or "root", line


def run(simulation: Simulation[World], line: str, user: str = "root") -> Result:
    """Run a command on the head node."""
    return run_command(simulation, HEAD, user, line)


def load(simulation: Simulation[World]) -> None:
    """The jobs of the captures that the model can have, up to when their output was taken."""
    for user, line in _JOBS:
        assert run(simulation, f"sbatch {line}", user).status == 0
    simulation.advance(12 * SECOND)


_SLEEP = '--wrap "sleep 900"'
_JOBS = (
    (
        "alice",
        "-J llama-pretrain -N8 --gpus-per-node=8 --ntasks-per-node=8 --cpus-per-task=12 --mem=1500G -t 1-00:00:00 "
        f"-o /root/slurmt/out/%j.out {_SLEEP}",
    ),
    ("alice", f"-J eval -N1 --gres=gpu:h100:4 -c 16 --mem=200G -t 4:00:00 {_SLEEP}"),
    ("bob", f"-J nccl-burnin -N2 --gpus-per-node=8 -c 8 --mem=100G -t 2:00:00 {_SLEEP}"),
    ("bob", f"-J notebook -p interactive -N1 --gpus=1 -c 4 --mem=32G -t 1:00:00 {_SLEEP}"),
)
